import { z } from "zod";
import { isDnsLabel, adviseLabel, mac, reference } from "./fields/common-fields.ts";
import { field, quote, type Refusal, refuse, textField, yesOrNo } from "./fields/field.ts";
import { httpsUrl } from "./fields/host-fields.ts";
import { keyed, labelValue } from "./fields/label-fields.ts";
import { parseIpv4 } from "../values/ipv4.ts";

/** What stands for a fingerprint where nothing is known beforehand. */
export const trustWord = "trust";

const machineName = field(
  {
    type: "string",
    description: "Its name, which is also that of its node in Kubernetes.",
    examples: ["rack-1"],
  },
  (written): string | Refusal => {
    const text = typeof written === "string" ? written : "";
    if (isDnsLabel(text)) return text;
    return refuse("SPEC_BAD_NAME", `${quote(written)} cannot name a machine`, adviseLabel(text));
  },
);

const wholeAddress = field(
  {
    type: "string",
    description: "Where it answers now, and as a node later: the address it has from DHCP or was given.",
    examples: ["192.168.1.31"],
  },
  (written): string | Refusal => {
    if (typeof written === "string" && parseIpv4(written) !== undefined) return written;
    const next = "Write a whole address like 192.168.1.31; machines belong to no network of the file";
    return refuse("SPEC_BAD_ADDRESS", `${quote(written)} is not a whole address`, next);
  },
);

const fingerprint = textField(
  {
    description:
      "By what it is known before it gets any secret: of Talos what it prints on its screen in maintenance mode, of Linux the SHA256 fingerprint of its SSH host key. `trust`: whoever answers there is believed.",
    examples: ["bPKHsLQ0VwDAJkPkWpBWCbSEbHEEr1gE9tJ4Bkj5wZo=", trustWord],
  },
  {
    pattern: /^(?:trust|[A-Za-z0-9+/]{43}=|SHA256:[A-Za-z0-9+/]{43})$/,
    code: "SPEC_BAD_FINGERPRINT",
    isNot: "the fingerprint of a machine",
    next: "Copy the 44 characters from the screen of Talos, or SHA256:… from ssh-keygen -lf; or write trust",
  },
);

/** Machines that are there already. `secret` and `tls` are those of every host. */
export const existingWith = <S extends z.ZodType, T extends z.ZodType>(secret: S, tls: T) => {
  const bmc = z
    .strictObject({
      url: httpsUrl(
        { description: "Where it answers.", examples: ["https://192.168.9.31"] },
        "https://192.168.9.31",
      ),
      user: reference({ description: "Who logs in there.", examples: ["slipway"] }),
      password: secret,
      tls: tls.optional(),
      system: reference({
        description: "Which of its systems is the machine, where it has several. Left out: the only one.",
        examples: ["1"],
      }).optional(),
    })
    .register(z.globalRegistry, {
      id: "bmc",
      description:
        "The management controller of the machine, spoken to by Redfish: it switches the machine on.",
      examples: [{ url: "https://192.168.9.31", user: "slipway", password: { env: "BMC_PASSWORD" } }],
    });
  const machine = z
    .strictObject({
      name: machineName,
      address: wholeAddress,
      mac: mac({
        description:
          "Of the NIC that has the address. With it the node is given the address for good; without it, it keeps what DHCP gives.",
        examples: ["9c:6b:00:12:34:56"],
      }).optional(),
      disk: textField(
        {
          description: "The disk Talos is installed on. Left out: `/dev/sda`.",
          examples: ["/dev/nvme0n1"],
        },
        {
          pattern: /^\/dev\/[\w./:-]+$/,
          code: "SPEC_BAD_PATH",
          isNot: "a disk of a machine",
          next: "Write its path, like /dev/nvme0n1",
        },
      ).optional(),
      fingerprint: fingerprint.optional(),
      bmc: bmc.optional(),
      wakeOnLan: yesOrNo({
        description: "Whether it starts when it hears its MAC address called on its network.",
      }).optional(),
      labels: keyed(labelValue({ description: "The label's value." }))
        .optional()
        .register(z.globalRegistry, {
          description: "By what pools may choose it.",
          examples: [{ rack: "left" }],
        }),
    })
    .register(z.globalRegistry, { id: "existingMachine", description: "A machine that is there already." });
  return z
    .strictObject({
      machines: z
        .array(machine)
        .min(1)
        .register(z.globalRegistry, {
          description: "The machines, each chosen by at most one pool.",
          examples: [[{ name: "rack-1", address: "192.168.1.31", disk: "/dev/nvme0n1" }]],
        }),
    })
    .register(z.globalRegistry, {
      id: "existing",
      description:
        "Machines that nobody has to make: bare metal, mini PCs, machines of another hypervisor. They wait in Talos' maintenance mode, or run Linux with SSH.",
    });
};
