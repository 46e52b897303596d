import { isNode, LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { bridges, hostTraits } from "./datacenter-host.ts";
import { networks, sdn } from "./datacenter-network.ts";
import { clusterFaultKinds } from "./cluster-faults.ts";
import { datacenterFileWrong } from "./errors.ts";
import { faultKinds } from "./faults.ts";
import { hostFaultKinds } from "./host-faults.ts";
import { libvirtHosts } from "./libvirt/index.ts";
import { metalMachines } from "./metal/index.ts";
import { noLatencies, realisticLatencies, type Latencies } from "./latency.ts";
import { size } from "./size.ts";

const node = z.strictObject({
  cores: z.int().positive(),
  memory: size,
  /** As the cluster knows it; by default where its API listens. `slipway sim` answers there too if it is a loopback one. */
  address: z.string().optional(),
  /** It is switched off and cannot be reached; with half of the nodes off, the cluster has no quorum. */
  isOffline: z.boolean().default(false),
  bridges,
  ...hostTraits,
});

const storageTypes = [
  "dir",
  "lvmthin",
  "lvm",
  "zfspool",
  "nfs",
  "cifs",
  "btrfs",
  "rbd",
  "cephfs",
  "pbs",
] as const;
const contentKinds = ["images", "rootdir", "iso", "vztmpl", "backup", "snippets", "import"] as const;

type StorageType = (typeof storageTypes)[number];

const networkTypes = new Set<StorageType>(["nfs", "cifs", "rbd", "cephfs", "pbs"]);
const blockTypes = new Set<StorageType>(["lvmthin", "lvm", "zfspool", "rbd"]);

const storage = z
  .strictObject({
    type: z.enum(storageTypes),
    size,
    content: z.array(z.enum(contentKinds)),
    /** Every node sees the same; kinds that live in the network always are. */
    shared: z.boolean().optional(),
    /** Where a file storage lives on its node. */
    path: z.string().optional(),
    /** ZFS sets no room aside for its disks. */
    sparse: z.boolean().optional(),
    nodes: z.array(z.string()).optional(),
  })
  .refine(
    ({ type, content }) => !blockTypes.has(type) || content.every((kind) => /images|rootdir/.test(kind)),
    {
      path: ["content"],
      message: "holds files; a storage of this type holds images and rootdir only",
    },
  )
  .refine(({ type, content }) => type !== "pbs" || content.every((kind) => kind === "backup"), {
    path: ["content"],
    message: "is more than a backup server holds: backup only",
  })
  .transform((it) => ({ ...it, shared: it.shared ?? networkTypes.has(it.type) }));

const grant = z.strictObject({
  path: z.string().startsWith("/"),
  role: z.string(),
  user: z.string().optional(),
  token: z.string().optional(),
  group: z.string().optional(),
  propagate: z.boolean().default(true),
});

const latencyNames = Object.keys(realisticLatencies) as (keyof Latencies)[];

const latencies = z
  .union([
    z.literal("realistic").transform(() => realisticLatencies),
    z.literal("none").transform(() => noLatencies),
    z
      .partialRecord(z.enum(latencyNames), z.number().nonnegative())
      .transform((some): Latencies => ({ ...realisticLatencies, ...some })),
  ])
  .default(realisticLatencies);

/** Of the datacenter: who may give machines which tags. */
const options = z
  .strictObject({
    "user-tag-access": z
      .strictObject({
        "user-allow": z.enum(["none", "list", "existing", "free"]).optional(),
        "user-allow-list": z.array(z.string()).optional(),
      })
      .optional(),
    "registered-tags": z.array(z.string()).optional(),
  })
  .default({});

const schema = z.strictObject({
  version: z.enum(["9.2", "8.4"]).default("9.2"),
  cluster: z.string().default("datacenter"),
  latencies,
  /** How many times faster than the wall its clock runs. */
  speed: z.number().positive().default(1),
  nodes: z.record(z.string().regex(/^[a-zA-Z0-9-]+$/, "is not a node name"), node).default({}),
  storages: z.record(z.string().regex(/^[a-zA-Z][\w.-]+$/, "is not a storage name"), storage).default({}),
  networks,
  sdn,
  options,
  users: z.record(z.string().includes("@"), z.strictObject({ password: z.string().optional() })).default({}),
  groups: z.record(z.string(), z.array(z.string())).default({}),
  roles: z.record(z.string(), z.array(z.string())).default({}),
  acl: z.array(grant).default([]),
  tokens: z
    .record(
      z.string().regex(/^[^@]+@[^!]+![A-Za-z][\w.-]+$/, 'is not a token; write "user@realm!name"'),
      z.strictObject({ secret: z.string(), privsep: z.boolean().default(true) }),
    )
    .default({}),
  /** Machines that are already there: configuration keys as Proxmox names them. */
  vms: z
    .record(
      z.string().regex(/^[1-9]\d{2,8}$/, "is not a VM number"),
      z.strictObject({
        node: z.string(),
        config: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
        isRunning: z.boolean().default(false),
      }),
    )
    .default({}),
  /** Files that are already there: `import/x.qcow2`, `iso/x.iso`, or a machine's disk such as `base-400-disk-0`. */
  images: z
    .array(
      z.strictObject({
        storage: z.string(),
        node: z.string(),
        file: z.string(),
        size,
        from: z.string().optional(),
      }),
    )
    .default([]),
  /** Hosts with libvirt, by name. */
  libvirt: libvirtHosts,
  /** Machines without a hypervisor, by name. */
  metal: metalMachines,
  /** What the DNS servers of the site answer for names of its own: `rancher.lan: 10.0.0.5`. */
  names: z.record(z.string(), z.ipv4("is not an IPv4 address")).default({}),
  faults: z
    .array(
      z.strictObject({
        call: z.string(),
        kind: z.enum(faultKinds),
        after: z.int().nonnegative().optional(),
        times: z.int().positive().optional(),
      }),
    )
    .default([]),
  /** What stands wrong inside the Kubernetes clusters: an image nobody has, a network that does not come up. */
  clusterFaults: z
    .array(
      z.strictObject({
        kind: z.enum(clusterFaultKinds),
        image: z.string().optional(),
        workload: z.string().optional(),
        node: z.string().optional(),
        peer: z.string().optional(),
        name: z.string().optional(),
        exitCode: z.int().optional(),
        log: z.string().optional(),
        message: z.string().optional(),
        slowMs: z.number().positive().optional(),
      }),
    )
    .default([]),
  /** What stands wrong on Linux hosts: a clock that is off, a cloud-init that fails. */
  hostFaults: z
    .array(
      z.strictObject({
        kind: z.enum(hostFaultKinds),
        host: z.string().optional(),
        message: z.string().optional(),
        skewMs: z.number().optional(),
        port: z.int().positive().optional(),
        path: z.string().startsWith("/").optional(),
        package: z.string().optional(),
      }),
    )
    .default([]),
});

/** A datacenter to simulate: what it holds, who may use it, how fast it is and what goes wrong in it. */
export type DatacenterFile = z.output<typeof schema>;
export type DatacenterStorage = DatacenterFile["storages"][string];

/** Reads the YAML text of a datacenter file. */
export function parseDatacenter(text: string, file: string): DatacenterFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const problem = document.errors[0];
  if (problem) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw datacenterFileWrong({ file, line, column: col }, problem.message.split("\n")[0] ?? problem.message);
  }
  const result = schema.safeParse(document.toJS());
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path ?? [];
  const at = [path, path.slice(0, -1), []].map((it) => document.getIn(it, true)).find(isNode);
  const { line, col } = lines.linePos(at?.range?.[0] ?? 0);
  throw datacenterFileWrong(
    { file, line, column: col, path: path.join(".") },
    `"${path.join(".")}" ${issue?.message ?? "is wrong"}`,
  );
}

/** Three ordinary nodes, a thin pool and a directory on each, and one account that may do everything. */
export function defaultDatacenter(): DatacenterFile {
  const host = { cores: 32, memory: "128GiB" };
  return schema.parse({
    nodes: { hydra: host, lyra: host, orion: host },
    storages: {
      local: { type: "dir", size: "200GiB", content: ["iso", "vztmpl", "backup", "import", "snippets"] },
      "local-lvm": { type: "lvmthin", size: "4TiB", content: ["images", "rootdir"] },
    },
    users: { "slipway@pve": {} },
    acl: [{ path: "/", role: "Administrator", user: "slipway@pve" }],
    tokens: { "slipway@pve!main": { secret: "5117a400-0000-4000-8000-000000000001", privsep: false } },
  });
}
