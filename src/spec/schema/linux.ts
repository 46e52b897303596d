import { z } from "zod";
import { lazy } from "./fields/lazy.ts";
import { field, quote, Refusal, refuse, refuseControl, textField } from "./fields/field.ts";
import { anyLines, anyText } from "./fields/common-fields.ts";
import { oneKeyOf } from "./fields/one-key-of.ts";
import type { GuestContact } from "../model/linux.ts";
import { oneOf } from "./fields/one-of.ts";
import { architectures } from "./talos.ts";

/** What a public key begins with, as OpenSSH writes it. */
export const publicKeyPattern =
  /^(?:ssh-(?:ed25519|rsa|dss)|ecdsa-sha2-\S+|sk-\S+@openssh\.com) [A-Za-z0-9+/]/;

const user = textField(
  { description: "Who logs in by SSH, without a password; may become root.", examples: ["debian"] },
  {
    // cloud-init never lets root in.
    pattern: /^(?!root$)[a-z_][a-z0-9_-]{0,31}$/,
    code: "SPEC_BAD_NAME",
    isNot: "a user who can log in",
    next: "Use small letters, digits, - and _; root is reached with sudo",
  },
);

const key = field(
  {
    type: "string",
    description: "A public key as text, or a file of public keys beside the cluster file.",
    examples: ["./id_ed25519.pub"],
  },
  (written): string | Refusal => {
    const text = typeof written === "string" ? written.trim() : "";
    const refused = /PRIVATE KEY/.test(text) ? undefined : refuseControl(text);
    if (refused) return refused;
    if (publicKeyPattern.test(text) || (/^\S+$/.test(text) && !text.startsWith("-"))) return text;
    const next = "Write the line from id_ed25519.pub, or the path of that file; never the private key";
    if (!/PRIVATE KEY/.test(text))
      return refuse("SPEC_BAD_KEY", `${quote(written)} is not a public key or a file of them`, next);
    return new Refusal({ code: "SPEC_BAD_KEY", what: "This is a private key", next, isSecret: true });
  },
);

const absolutePath = textField(
  { description: "Where it lies in the machine.", examples: ["/etc/motd"] },
  {
    pattern: /^\/.*[^/]$/,
    code: "SPEC_BAD_PATH",
    isNot: "an absolute path",
    next: "Write it from the root, like /etc/motd",
  },
);

const mode = textField(
  { description: "Its rights, in quotes. Left out: 0644.", examples: ["0600"] },
  {
    pattern: /^0?[0-7]{3,4}$/,
    code: "SPEC_WRONG_TYPE",
    isNot: "a mode of a file",
    next: 'Write it in quotes, like "0600"',
  },
);

const guestFile = lazy(() =>
  oneKeyOf(
    z.strictObject({
      path: absolutePath,
      content: z
        .string()
        .optional()
        .register(z.globalRegistry, { description: "What is in it.", examples: ["Welcome\n"] }),
      file: anyText({
        description: "A file beside the cluster file that it is copied from.",
        examples: ["./motd"],
      }).optional(),
      mode: mode.optional(),
    }),
    "content or file",
    ["path", "mode"],
  ).register(z.globalRegistry, {
    id: "guestFile",
    description: "A file in the machine.",
    examples: [{ path: "/etc/motd", content: "Welcome\n" }],
  }),
);

const command = z
  .array(anyLines({ description: "The program, then its arguments.", examples: ["systemctl"] }))
  .min(1)
  .register(z.globalRegistry, {
    description: "A program and its arguments; for a shell, write it: [sh, -c, …].",
    examples: [["systemctl", "enable", "--now", "nginx"]],
  });

const guestContacts = ["console", "trust"] as const satisfies readonly GuestContact[];

/** What can be said of machines that start from a cloud image. */
export const guestFields = {
  user: user.prefault("ops"),
  keys: z
    .array(key)
    .prefault([])
    .register(z.globalRegistry, {
      description: "Public keys that may log in beside the one Slipway keeps for itself.",
      examples: [["./id_ed25519.pub"]],
    }),
  packages: z
    .array(anyText({ description: "The name of a package.", examples: ["nginx"] }))
    .prefault([])
    .register(z.globalRegistry, {
      description: "Installed at the first start; the machine needs a way out for it.",
      examples: [["nginx"]],
    }),
  files: z
    .array(guestFile)
    .prefault([])
    .register(z.globalRegistry, {
      description: "Written at the first start.",
      examples: [[{ path: "/etc/motd", content: "Welcome\n" }]],
    }),
  commands: z
    .array(command)
    .prefault([])
    .register(z.globalRegistry, {
      description: "Run once as root at the end of the first start.",
      examples: [[["systemctl", "enable", "--now", "nginx"]]],
    }),
  timezone: anyText({
    description: "Left out: as the image has it.",
    examples: ["Europe/Berlin"],
  }).optional(),
  architecture: oneOf({ description: "Of the hosts' processors." }, architectures).prefault("amd64"),
  firstContact: oneOf(
    {
      description:
        "How a new machine on Proxmox is recognized before the first login; on libvirt it is given its host key. console: by the host keys that cloud-init prints on its serial console, read through the host. trust: the first machine that answers at its address is believed, even an attacker's.",
    },
    guestContacts,
  ).prefault("console"),
};

export const linuxSchema = lazy(() =>
  z.strictObject(guestFields).register(z.globalRegistry, {
    id: "linux",
    description: "Plain Linux machines from a cloud image instead of Kubernetes: `image` names it.",
    examples: [{ user: "debian", keys: ["./id_ed25519.pub"] }],
  }),
);

export type WrittenLinux = z.output<typeof linuxSchema>;
