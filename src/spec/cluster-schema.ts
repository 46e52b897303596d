import { z } from "zod";
import { field, type Refusal, quote, refuse, textField, wholeNumber, yesOrNo } from "./field.ts";
import { address, anyText, cidr, reference, version } from "./fields.ts";
import { checksum, httpsUrl } from "./host-fields.ts";
import { knownAddons } from "./known-addons.ts";
import { oneOf } from "./one-of.ts";
import { namedPoolSchema, patches, poolSchema } from "./pool-schema.ts";
import { adviseName } from "./one-of.ts";

export const placements = ["spread", "pack"] as const;
export const architectures = ["amd64", "arm64"] as const;

const extension = textField(
  {
    description: "An official extension, with or without `siderolabs/` in front.",
    examples: ["qemu-guest-agent"],
  },
  {
    pattern: /^([a-z0-9-]+\/)?[a-z0-9][a-z0-9.-]*$/,
    code: "SPEC_BAD_NAME",
    isNot: "the name of an extension",
    next: "Write it as the image factory lists it, like qemu-guest-agent",
  },
);

const talos = z
  .strictObject({
    version: version(
      { description: "The version of Talos Linux, all three numbers.", examples: ["1.13.9"] },
      "1.13.9",
    ).prefault("1.13.9"),
    extensions: z
      .array(extension)
      .prefault([])
      .meta({
        description: "System extensions baked into the image.",
        examples: [["qemu-guest-agent", "iscsi-tools"]],
      }),
    kernelArgs: z
      .array(anyText({ description: "One argument.", examples: ["net.ifnames=0"] }))
      .prefault([])
      .meta({ description: "Extra kernel arguments baked into the image.", examples: [["console=ttyS0"]] }),
    architecture: oneOf({ description: "Of the hosts' processors." }, architectures).prefault("amd64"),
    factory: httpsUrl(
      { description: "The image factory to ask.", examples: ["https://factory.talos.dev"] },
      "https://factory.talos.dev",
    ).prefault("https://factory.talos.dev"),
  })
  .meta({
    id: "talos",
    description: "Talos Linux: which version, with what in its image.",
    examples: [{ version: "1.13.9", extensions: ["qemu-guest-agent"] }],
  });

const image = z
  .strictObject({
    url: httpsUrl(
      {
        description: "Where the hosts fetch it.",
        examples: ["https://images.example.org/talos-nocloud-amd64.qcow2"],
      },
      "https://images.example.org/talos-nocloud-amd64.qcow2",
      /^https?:\/\//i,
    ),
    checksum: checksum({
      description: "What the hosts check it against: sha256, sha512, sha1 or md5, a colon, the digits.",
      examples: [`sha256:${"0123456789abcdef".repeat(4)}`],
    }).optional(),
  })
  .meta({ id: "image", description: "A disk image of your own instead of the factory's." });

const subnets = (description: string, initial: string) =>
  z
    .array(cidr({ description, examples: [initial] }, 8, 24))
    .min(1)
    .prefault([initial])
    .meta({ description, examples: [[initial]] });

const network = z
  .strictObject({
    cidr: cidr({ description: "The network the nodes are in.", examples: ["192.168.1.0/24"] }, 8, 29),
    gateway: address({
      description:
        "The way out. Short addresses like `.1` are completed from the cidr. Left out: the first address.",
      examples: [".1", "192.168.1.1"],
    }).optional(),
    dns: z
      .union([
        z.array(address({ description: "A name server." })).min(1),
        address({ description: "A name server." }),
      ])
      .meta({
        description: "Name servers, one or a list. Left out: the gateway.",
        examples: [[".1", "1.1.1.1"]],
      })
      .optional(),
    bridge: textField(
      { description: "The bridge of the hosts that the nodes are plugged into.", examples: ["vmbr0"] },
      {
        pattern: /^[A-Za-z][\w.-]{0,14}$/,
        code: "SPEC_BAD_NAME",
        isNot: "the name of a bridge",
        next: "Write it as the host shows it, like vmbr0; at most 15 characters",
      },
    ).prefault("vmbr0"),
    vlan: wholeNumber(
      { description: "The VLAN tag of the nodes' network cards.", examples: [14] },
      1,
      4094,
    ).optional(),
    vip: address({
      description:
        "An address that always leads to a living control plane. Wanted with three or more of them.",
      examples: [".100"],
    }).optional(),
    podSubnets: subnets("Networks the pods get their addresses from.", "10.244.0.0/16"),
    serviceSubnets: subnets("Networks the services get their addresses from.", "10.96.0.0/12"),
    dnsDomain: textField(
      { description: "The domain of names inside of the cluster.", examples: ["cluster.local"] },
      {
        pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
        code: "SPEC_BAD_NAME",
        isNot: "a domain",
        next: "Write a domain like cluster.local",
      },
    ).prefault("cluster.local"),
  })
  .meta({
    id: "network",
    description: "How the nodes are reached and reach others.",
    examples: [{ cidr: "192.168.1.0/24" }],
  });

export interface WrittenAddon {
  name: string;
  options: Record<string, unknown>;
}

const addon = field(
  {
    description: "The add-on's name, or a map of the name and its options.",
    examples: ["cilium", { "nfs-csi": { server: "192.168.1.5", share: "/volume1/k8s" } }],
    anyOf: [
      { type: "string", enum: [...knownAddons] },
      {
        type: "object",
        minProperties: 1,
        maxProperties: 1,
        additionalProperties: false,
        properties: Object.fromEntries(knownAddons.map((name) => [name, { type: ["object", "null"] }])),
      },
    ],
  },
  (written): WrittenAddon | Refusal => {
    const [name, options, ...rest] =
      typeof written === "object" && written !== null && !Array.isArray(written)
        ? Object.entries(written).flat()
        : [written, undefined];
    if (rest.length > 0 || typeof name !== "string") {
      return refuse(
        "SPEC_WRONG_TYPE",
        `This is ${quote(written)}, not one add-on`,
        "Write one name for each item, or one name with its options",
      );
    }
    if (!(knownAddons as readonly string[]).includes(name)) {
      return refuse("SPEC_UNKNOWN_ADDON", `Add-on "${name}" is not known`, adviseName(name, knownAddons));
    }
    if (options === undefined || options === null) return { name, options: {} };
    if (typeof options === "object" && !Array.isArray(options))
      return { name, options: options as Record<string, unknown> };
    return refuse(
      "SPEC_WRONG_TYPE",
      `The options of "${name}" are ${quote(options)}`,
      `Write a map of options, or just ${name}`,
    );
  },
);

const hostName = reference({ description: "The name of a host.", examples: ["hydra"] });

export const clusterSchema = z
  .strictObject({
    on: z
      .union([z.array(hostName).min(1), hostName])
      .meta({
        description: "The host, or a list of hosts, its machines run on. Left out: the only host there is.",
        examples: ["hydra", ["hydra", "lyra", "orion"]],
      })
      .optional(),
    placement: oneOf(
      {
        description: "With several hosts: `spread` the machines evenly, or `pack` one host after the other.",
      },
      placements,
    ).prefault("spread"),
    talos: talos.prefault({}),
    image: image.optional(),
    kubernetes: version(
      {
        description: "The version of Kubernetes. Left out: the one this Talos was made for.",
        examples: ["1.36.3"],
      },
      "1.36.3",
    ).optional(),
    network,
    endpoint: httpsUrl(
      {
        description: "The URL of the Kubernetes API. Left out: the VIP, or the first control plane.",
        examples: ["https://k8s.example.org:6443"],
      },
      "https://k8s.example.org:6443",
    ).optional(),
    controlPlanes: poolSchema.prefault({}).meta({
      description: "The machines that run the Kubernetes API and etcd: 1, 3 or 5.",
      examples: [{ count: 3, memory: "4GiB" }],
    }),
    workers: z
      .union([poolSchema, z.array(namedPoolSchema), z.record(z.string(), poolSchema)])
      .optional()
      .meta({
        description: "The machines that run the workloads: one pool, or several pools by name.",
        examples: [
          { count: 2, memory: "8GiB" },
          { small: { count: 2 }, gpu: { count: 1, address: ".121" } },
        ],
      }),
    addons: z
      .array(addon)
      .prefault([])
      .meta({
        description: `What is installed on top, each by name or as a map of the name and its options: ${knownAddons.join(", ")}.`,
        examples: [["cilium", { "nfs-csi": { server: "192.168.1.5", share: "/volume1/k8s" } }]],
      }),
    patches: patches("Patches to the machine config of every node."),
    protect: yesOrNo({ description: "Refuse to remove or replace anything of this cluster." }).prefault(
      false,
    ),
    tags: z
      .array(
        textField(
          { description: "A tag.", examples: ["lab"] },
          {
            pattern: /^[a-z0-9_][a-z0-9_.+-]*$/,
            code: "SPEC_BAD_NAME",
            isNot: "a tag Proxmox takes",
            next: "Use small letters, digits and _ . + -",
          },
        ),
      )
      .prefault([])
      .meta({ description: "Extra tags on every machine.", examples: [["lab"]] }),
  })
  .meta({ id: "cluster", description: "One Kubernetes cluster." });

export type WrittenCluster = z.output<typeof clusterSchema>;
