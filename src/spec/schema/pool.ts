import { z } from "zod";
import { lazy } from "./fields/lazy.ts";
import { wholeNumber, yesOrNo } from "./fields/field.ts";
import { addressOrDhcp, anyLines, anyText, mac, nodeNames, reference, size } from "./fields/common-fields.ts";
import { keyed, labelValue, taint } from "./fields/label-fields.ts";
import { nics, vlans } from "./links.ts";
import { hardware, leastVmid, mostVmid } from "./machine.ts";
import { nodeTalosSchema } from "./node-talos.ts";

/** More nodes than Kubernetes itself is made for. */
export const mostNodes = 5000;

const dataDisk = lazy(() =>
  z
    .strictObject({
      size: size({ description: "Its size.", examples: ["50GiB"] }),
      for: anyText({
        description: "What it is meant for, e.g. `longhorn`.",
        examples: ["longhorn"],
      }).optional(),
      storage: reference({
        description: "Another storage than the host's own for disks.",
        examples: ["ceph"],
      }).optional(),
      keep: yesOrNo({
        description:
          "Whether it outlives its machine: `down` and the replacement of a node keep it, and the node gets it back.",
      }).prefault(true),
    })
    .register(z.globalRegistry, { id: "dataDisk", description: "A disk beside the system disk." }),
);

const patch = z.record(z.string(), z.unknown()).register(z.globalRegistry, {
  description:
    "A patch to the Talos machine config: written here, or `{ file: PATH }` beside the cluster file.",
  examples: [{ file: "patches/registry.yaml" }, { machine: { sysctls: { "vm.max_map_count": "262144" } } }],
});

export const patches = (description: string) =>
  z
    .array(patch)
    .prefault([])
    .register(z.globalRegistry, { description, examples: [[{ file: "patches/registry.yaml" }]] });

/** What a pool says of its nodes, and what one node may say otherwise. */
const machineFields = (leftOut: {
  cores: string;
  memory: string;
  disk: string;
  else: string;
  above: string;
}) => ({
  cores: wholeNumber({ description: `Processor cores. ${leftOut.cores}`, examples: [4] }, 1, 512).optional(),
  memory: size({ description: `Memory. ${leftOut.memory}`, examples: ["8GiB"] }).optional(),
  disk: size({ description: `The system disk. ${leftOut.disk}`, examples: ["50GiB"] }).optional(),
  storage: reference({
    description: `The storage of the system disk. Left out: the host's own for disks.${leftOut.else}`,
    examples: ["fast"],
  }).optional(),
  dataDisks: z
    .array(dataDisk)
    .optional()
    .register(z.globalRegistry, {
      description: `Disks beside the system disk.${leftOut.else}`,
      examples: [[{ size: "50GiB", for: "longhorn" }]],
    }),
  on: reference({
    description: `One host of the cluster's \`on\`, and no other.${leftOut.else}`,
    examples: ["hydra"],
  }).optional(),
  dhcp: yesOrNo({
    description: `Whether the address is reserved at a DHCP server. Left out: as ${leftOut.above} says.`,
  }).optional(),
  vlans: vlans(`VLANs on top of the first NIC, tagged by the node itself.${leftOut.else}`),
  nics: nics(`NICs beside the first one.${leftOut.else}`),
  hardware: hardware.optional(),
  protect: yesOrNo({
    description: `Refuse to remove or replace it, here and in Proxmox itself.${leftOut.else}`,
  }).optional(),
  talos: nodeTalosSchema.optional(),
  labels: keyed(labelValue({ description: "The label's value." }))
    .optional()
    .register(z.globalRegistry, {
      description: "Kubernetes labels.",
      examples: [{ "example.org/rack": "left" }],
    }),
  annotations: keyed(anyLines({ description: "The annotation's value." }))
    .optional()
    .register(z.globalRegistry, {
      description: "Kubernetes annotations.",
      examples: [{ "example.org/owner": "team-a" }],
    }),
  taints: keyed(taint)
    .optional()
    .register(z.globalRegistry, {
      description: "Kubernetes taints: key to `EFFECT` or `VALUE:EFFECT`.",
      examples: [{ gpu: "NoSchedule" }],
    }),
});

const asThePool = "Left out: as the pool says.";

const node = lazy(() =>
  z
    .strictObject({
      ...machineFields({
        cores: asThePool,
        memory: asThePool,
        disk: asThePool,
        else: ` ${asThePool}`,
        above: "the pool",
      }),
      address: addressOrDhcp({
        description: "Its address, or `dhcp` where only the DHCP server knows it.",
        examples: [".150"],
      }).optional(),
      vmid: wholeNumber({ description: "Its VMID.", examples: [3050] }, leastVmid, mostVmid).optional(),
      mac: mac({ description: "Its MAC address.", examples: ["02:a1:b2:c3:d4:e5"] }).optional(),
      patches: patches("Patches to its machine config, after those of the pool."),
    })
    .register(z.globalRegistry, { id: "node", description: "What is different about one node." }),
);

const poolFields = {
  count: wholeNumber({ description: "How many nodes.", examples: [3] }, 0, mostNodes).prefault(1),
  machines: z
    .union([
      z.array(reference({ description: "The name of a machine.", examples: ["rack-1"] })).min(1),
      keyed(labelValue({ description: "The label's value." })),
    ])
    .optional()
    .register(z.globalRegistry, {
      description:
        "Machines that are there already, by name or by their labels; each becomes a node of its own name. With labels, `count` is how many are taken; left out: all of them.",
      examples: [["rack-1", "rack-2"], { rack: "left" }],
    }),
  names: nodeNames({
    description:
      "How its nodes are called: the braces hold the first number, with as many digits as every number is to have. `talos-cp-{01}`: talos-cp-01, talos-cp-02; `cp-{0}`: cp-0, cp-1. Left out: `cp-{1}` for control planes, `worker-{1}` for workers, the pool's name for a named one. Settled with the first `up`: a node keeps its name for life.",
    examples: ["talos-cp-{01}"],
  }).optional(),
  skip: z
    .array(wholeNumber({ description: "A node's number." }, 1, mostNodes))
    .prefault([])
    .register(z.globalRegistry, {
      description:
        "Numbers left out, counted from 1 whatever `names` begins with, so that removing a node in the middle leaves the names and addresses of the others as they are.",
      examples: [[2]],
    }),
  ...machineFields({
    cores: "Left out: 2 for control planes, 4 for workers.",
    memory: "Left out: 4GiB for control planes, 8GiB for workers.",
    disk: "Left out: 20GiB for control planes, 50GiB for workers.",
    else: "",
    above: "the network",
  }),
  address: addressOrDhcp({
    description:
      "The first node's address; the others count up from it. Left out: .101 for control planes, .111 for the first worker pool. `dhcp`: the address that a DHCP server gives, found when the machine has it.",
    examples: [".111"],
  }).optional(),
  vmid: wholeNumber(
    {
      description: "The first node's VMID; the others count up from it. Left out: the host's next free ones.",
      examples: [3000],
    },
    leastVmid,
    mostVmid,
  ).optional(),
  mac: mac({
    description:
      "The first node's MAC address; the others count up from it. Left out: made from cluster, pool and number.",
    examples: ["02:a1:b2:c3:d4:01"],
  }).optional(),
  patches: patches("Patches to the machine config of the pool's nodes."),
  nodes: z
    .record(z.string(), node)
    .prefault({})
    .register(z.globalRegistry, {
      description: "What is different about single nodes, by name.",
      examples: [{ "worker-2": { memory: "16GiB" } }],
    }),
};

export const poolSchema = z
  .strictObject(poolFields)
  .register(z.globalRegistry, { id: "pool", description: "Machines of one kind." });

export const namedPoolSchema = z
  .strictObject({
    name: anyText({
      description: "The pool's name; its nodes are NAME-1, NAME-2 and so on, unless `names` says otherwise.",
      examples: ["gpu"],
    }),
    ...poolFields,
  })
  .register(z.globalRegistry, {
    id: "namedPool",
    description: "In a list, each pool also has a name; its other fields are those of any pool.",
  });

export type WrittenPool = z.output<typeof poolSchema>;
export type WrittenNode = z.output<typeof node>;

export const poolFieldNames: ReadonlySet<string> = new Set(Object.keys(poolFields));
