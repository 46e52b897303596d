import { z } from "zod";
import { existingWith } from "./existing.ts";
import { lazy } from "./fields/lazy.ts";
import { ratio, type Refusal, textField, yesOrNo } from "./fields/field.ts";
import { anyLines, anyText, reference } from "./fields/common-fields.ts";
import { environmentName, fingerprint, proxmoxUrl, secretInFile, tokenId } from "./fields/host-fields.ts";
import { jumpHostWith, jumpOver } from "./jump.ts";
import { labelValue } from "./fields/label-fields.ts";
import type { SecretRef, TlsTrust } from "../model/secret.ts";
import { oneKeyOf } from "./fields/one-key-of.ts";

const storageName = (description: string, example: string) =>
  textField(
    { description, examples: [example] },
    {
      pattern: /^[A-Za-z][\w.-]*[A-Za-z0-9]$/,
      code: "SPEC_BAD_NAME",
      isNot: "the name of a Proxmox storage",
      next: `Write it as Proxmox shows it, like ${example}`,
    },
  );

const command = z.array(anyLines({ description: "The program, then its arguments." })).min(1);

export const secret = oneKeyOf(
  z.strictObject({
    env: environmentName({
      description: "Read it from this environment variable.",
      examples: ["PVE_TOKEN"],
    }).optional(),
    file: anyText({
      description: "Read it from this file, the end of its last line left out. Relative to the cluster file.",
      examples: ["~/.config/slipway/hydra.token"],
    }).optional(),
    command: command
      .meta({
        description: "Run this program and read what it prints. A list: no shell is involved.",
        examples: [["pass", "show", "proxmox/slipway"]],
      })
      .optional(),
    age: anyText({
      description:
        "Read it from this file, encrypted with age; opened with the keys `secrets` are opened with. Relative to the cluster file.",
      examples: ["./pve-token.age"],
    }).optional(),
    sops: z
      .strictObject({
        file: anyText({
          description:
            "A YAML or JSON file, encrypted with SOPS to an age key. Relative to the cluster file.",
          examples: ["./secrets.sops.yaml"],
        }),
        key: anyText({
          description: "The keys that lead to the value, with dots between them.",
          examples: ["proxmox.token"],
        }),
      })
      .optional()
      .register(z.globalRegistry, {
        id: "sopsValue",
        description: "Read it from a file encrypted with SOPS.",
        examples: [{ file: "./secrets.sops.yaml", key: "proxmox.token" }],
      }),
  }),
  "env, file, command, age or sops",
).register(z.globalRegistry, {
  id: "secret",
  description: "Where a secret is found. The secret itself is never in the file.",
  examples: [{ env: "PVE_TOKEN" }],
});

export const tls = lazy(() =>
  oneKeyOf(
    z.strictObject({
      fingerprint: fingerprint({
        description: "Trust exactly this certificate: its SHA-256 fingerprint, as Proxmox shows it.",
        examples: ["AA:BB:CC:…"],
      }).optional(),
      ca: anyText({
        description:
          "Trust certificates signed by the authority in this PEM file. Relative to the cluster file.",
        examples: ["./pve-root-ca.pem"],
      }).optional(),
      insecure: yesOrNo({
        description:
          "Trust any certificate. Every run warns about it: an attacker on the network can take the token.",
      }).optional(),
    }),
    "fingerprint, ca or insecure",
  ).register(z.globalRegistry, {
    id: "tls",
    description: "How the API's certificate is trusted. Left out: by the authorities this computer trusts.",
    examples: [{ ca: "./pve-root-ca.pem" }],
  }),
);

const token = z
  .strictObject({
    id: tokenId({ description: "The token's id: user, realm and name.", examples: ["slipway@pve!main"] }),
    secret,
  })
  .register(z.globalRegistry, {
    id: "token",
    description: "The API token Slipway works with.",
    examples: [{ id: "slipway@pve!main", secret: { env: "PVE_TOKEN" } }],
  });

const storage = z
  .strictObject({
    images: storageName("Where downloaded images lie; needs the content type `import`.", "local").prefault(
      "local",
    ),
    isos: storageName(
      "Where ISOs lie; needs the content type `iso`. Left out: as `images`.",
      "local",
    ).optional(),
    disks: storageName("Where the disks of machines lie.", "local-lvm").prefault("local-lvm"),
    templates: storageName("Where the disks of templates lie. Left out: as `disks`.", "local-lvm").optional(),
    cloudInit: storageName(
      "Where the small drives lie that tell machines their first address. Left out: as `disks`.",
      "local-lvm",
    ).optional(),
  })
  .register(z.globalRegistry, {
    id: "storage",
    description: "Which storages of the host are used.",
    examples: [{ images: "local", disks: "local-lvm" }],
  });

const proxmox = z
  .strictObject({
    url: proxmoxUrl({
      description:
        "The API of the host or of any member of its Proxmox cluster; port 8006 when none is given.",
      examples: ["https://192.168.1.10:8006"],
    }),
    node: reference({
      description: "The node's name in Proxmox. Left out: the name of the host in this file.",
      examples: ["pve1"],
    }).optional(),
    token,
    tls: tls.optional(),
    storage: storage.prefault({}),
    pool: textField(
      { description: "A Proxmox resource pool that the machines join.", examples: ["kubernetes"] },
      {
        pattern: /^[A-Za-z0-9][\w./-]*$/,
        code: "SPEC_BAD_NAME",
        isNot: "the name of a Proxmox pool",
        next: "Write it as Proxmox shows it, like kubernetes",
      },
    ).optional(),
  })
  .register(z.globalRegistry, { id: "proxmox", description: "A node of Proxmox VE." });

const overcommit = lazy(() =>
  z
    .strictObject({
      memory: ratio({ description: "Of its memory.", examples: [1.2] }, 0.1, 10).prefault(1),
      cores: ratio({ description: "Of its processor threads.", examples: [4] }, 0.1, 100).prefault(8),
    })
    .register(z.globalRegistry, {
      id: "overcommit",
      description: "How much of what the host has may be promised to machines: 1 is all of it.",
      examples: [{ memory: 1.2, cores: 4 }],
    }),
);

const pool = z
  .union([
    z
      .strictObject({
        name: reference({ description: "Its name.", examples: ["slipway"] }).prefault("slipway"),
        path: anyText({
          description: "The folder it stands for. It is made when there is no pool of that name.",
          examples: ["/var/lib/libvirt/slipway"],
        }),
      })
      .register(z.globalRegistry, {
        id: "libvirtPool",
        description: "A storage pool that is made when it is missing.",
      }),
    reference({ description: "The name of a pool that exists.", examples: ["default"] }),
  ])
  .prefault("default")
  .register(z.globalRegistry, {
    description: "The storage pool of images and disks: the name of one that exists, or one to be made.",
    examples: ["default", { path: "/var/lib/libvirt/slipway" }],
  });

const libvirt = lazy(() =>
  z
    .strictObject({
      uri: textField(
        {
          description:
            "Where libvirt is reached: on this machine, or through SSH or TLS. Options of a `qemu+ssh` address: `keyfile`, `known_hosts`, `socket`.",
          examples: ["qemu+ssh://ops@192.168.1.30/system"],
        },
        {
          pattern: /^qemu(\+(ssh|tls|unix))?:\/\/[^\s]*\/(system|session)(\?\S*)?$/,
          code: "SPEC_BAD_URL",
          isNot: "the address of a libvirt",
          next: "Write qemu:///system, or qemu+ssh://USER@HOST/system",
        },
      ).prefault("qemu:///system"),
      pool,
    })
    .register(z.globalRegistry, {
      id: "libvirt",
      description: "A Linux machine that runs libvirt with KVM.",
    }),
);

const existing = lazy(() => existingWith(secret, tls));

export const jumpHost = jumpHostWith(secret);

export type WrittenJumpHost = z.output<typeof jumpHost>;

const hostFields = z.strictObject({
  proxmox: proxmox.optional(),
  libvirt: libvirt.optional(),
  existing: existing.optional(),
  jump: jumpOver(
    jumpHost,
    "SSH hosts to go through to its API, one or a list, the nearest first. Left out: it is reached directly.",
  ),
  overcommit: overcommit.prefault({}),
  region: labelValue({
    description:
      "Its nodes are labelled `topology.kubernetes.io/region` with it; the zone is the Proxmox node they are on.",
    examples: ["basement"],
  }).optional(),
});

export const hostSchema = oneKeyOf(hostFields, "proxmox, libvirt or existing", [
  "jump",
  "overcommit",
  "region",
]).register(z.globalRegistry, {
  id: "host",
  description: "A hypervisor machines can run on, or machines that are there already.",
});

export type WrittenHost = z.output<typeof hostSchema>;

/** The reference to a secret as the model holds it. */
export function secretRef(written: z.output<typeof secret>): SecretRef {
  if (written.env !== undefined) return { env: written.env };
  if (written.file !== undefined) return { file: written.file };
  if (written.age !== undefined) return { age: written.age };
  if (written.sops !== undefined) return { sops: written.sops };
  return { command: written.command ?? [] };
}

export function tlsTrust(written: z.output<typeof tls> | undefined): TlsTrust {
  if (written?.fingerprint !== undefined) return { fingerprint: written.fingerprint };
  if (written?.ca !== undefined) return { caFile: written.ca };
  return written?.insecure === true ? { insecure: true } : { system: true };
}

const addonSecrets = new Set(["password", "sshKey", "ageKey", "knownHosts", "ca"]);

/** A text where the place of a secret belongs is taken for the secret itself. */
export function plainSecret(path: readonly PropertyKey[], written: unknown): Refusal | undefined {
  const last = path.at(-1);
  if (typeof written !== "string" && typeof written !== "number") return undefined;
  if (last === "passphrase" && path.includes("jump"))
    return secretInFile("The passphrase itself is in the file", "passphrase: { env: NAME_OF_VARIABLE }");
  if (path[0] === "hosts") {
    if (last === "password" && path.includes("bmc"))
      return secretInFile("The password itself is in the file", "password: { env: BMC_PASSWORD }");
    if (last === "secret") return secretInFile("The secret itself is in the file");
    return last === "token" ? secretInFile("The token itself is in the file") : undefined;
  }
  if (path[2] === "addons" && (addonSecrets.has(String(last)) || path.at(-2) === "secretValues")) {
    return secretInFile(
      `The secret "${String(last)}" itself is in the file`,
      `${String(last)}: { env: NAME_OF_VARIABLE }`,
    );
  }
  if (path.includes("backups") && (last === "accessKey" || last === "secretKey"))
    return secretInFile(`The ${last} itself is in the file`, `${last}: { env: NAME_OF_VARIABLE }`);
  const isOfCluster = ["auth", "secrets"].includes(String(path.at(-2))) || path.includes("encryption");
  return isOfCluster && (last === "password" || last === "token" || last === "passphrase")
    ? secretInFile(`The ${last} itself is in the file`, `${last}: { env: NAME_OF_VARIABLE }`)
    : undefined;
}
