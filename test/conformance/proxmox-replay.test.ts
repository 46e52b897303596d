import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { scaledClock } from "../../src/lib/index.ts";
import { parseDatacenter } from "../../src/sim/datacenter-file.ts";
import { faultBox } from "../../src/sim/faults.ts";
import { noLatencies } from "../../src/sim/latency.ts";
import { loopbackNetwork } from "../../src/sim/network.ts";
import { startProxmox } from "../../src/sim/proxmox/index.ts";

const folder = path.resolve("../shared/conformance");
const recording = path.join(folder, "proxmox-transcripts.json.gz");
const found = existsSync(recording);

/** Scenarios that reach level 2, status, task and every error text, on each of their calls. */
const held = [
  "flow-iso",
  "vm-create-minimal",
  "vm-create-full",
  "import",
  "delete",
  "vm-power",
  "auth-token",
  "auth-failures",
  "auth-ticket",
  "download-iso",
  "upload-errors",
  "volume-delete",
  "vm-create-errors-ids",
  "vm-bad-disk",
  "vm-config-sync",
  "cloudinit",
  "vm-resize",
  "template",
  "clone-linked",
  "snapshots",
  "tasks",
  "pools",
  "perm-all",
];

/** On 8.4 the ones that differ most between the versions. */
const heldOn8 = ["vm-create-full", "import", "delete", "vm-power", "cloudinit"];

/** The state every recorded scenario of 9.2 starts from. */
const baselineOf9 = `
version: "9.2"
cluster: lab
nodes:
  pve1: { cores: 2, memory: 24GiB, address: 10.99.0.1, bridges: { vmbr0: { ports: [] } } }
  pve2: { cores: 2, memory: 24GiB, address: 10.99.0.2, bridges: { vmbr0: { ports: [] } } }
  pve3: { cores: 2, memory: 24GiB, address: 10.99.0.3, bridges: { vmbr0: { ports: [] } } }
storages:
  local:
    type: dir
    size: 252GiB
    content: [images, rootdir, vztmpl, iso, backup, snippets, import]
  fast: { type: dir, size: 252GiB, path: /var/lib/vz/fast, content: [images, rootdir] }
  shared:
    type: dir
    size: 252GiB
    path: /mnt/shared
    shared: true
    content: [images, iso, import, snippets]
users:
  root@pam: { password: labpass1 }
  tool@pve: { password: toolpass1 }
roles:
  ClusterTool:
    - Datastore.AllocateSpace
    - Datastore.AllocateTemplate
    - Datastore.Audit
    - Pool.Allocate
    - Pool.Audit
    - SDN.Use
    - Sys.AccessNetwork
    - Sys.Audit
    - VM.Allocate
    - VM.Audit
    - VM.Clone
    - VM.Config.CDROM
    - VM.Config.CPU
    - VM.Config.Cloudinit
    - VM.Config.Disk
    - VM.Config.HWType
    - VM.Config.Memory
    - VM.Config.Network
    - VM.Config.Options
    - VM.GuestAgent.Audit
    - VM.Migrate
    - VM.PowerMgmt
    - VM.Snapshot
    - VM.Snapshot.Rollback
acl:
  - { path: /, role: ClusterTool, user: tool@pve }
tokens:
  "tool@pve!ci": { secret: 11111111-1111-4111-8111-111111111111, privsep: false }
  "tool@pve!priv": { secret: 22222222-2222-4222-8222-222222222222 }
  "root@pam!lab": { secret: 33333333-3333-4333-8333-333333333333, privsep: false }
`;

/** 8.4 was recorded on one node, and has another privilege for the guest agent. */
const baselineOf8 = baselineOf9
  .replace('version: "9.2"', 'version: "8.4"')
  .replace(/  pve[23]:.*\n/g, "")
  .replace("VM.GuestAgent.Audit", "VM.Monitor");

interface Count {
  calls: number;
  l1: number;
  l2: number;
  l3: number;
}

interface Replay {
  areas: Record<string, Count>;
  total: Count;
  scenarios: (Count & { id: string; stopped?: string; diffs: { level: number; [key: string]: unknown }[] })[];
}

type Replayer = (options: Record<string, unknown>) => Promise<Replay>;

// The recordings and the replayer stand in ../shared/conformance beside the repository.
test.skipIf(!found).each([
  { version: "9.2", baseline: baselineOf9, scenarios: held, subnet: "127.86.0" },
  { version: "8.4", baseline: baselineOf8, scenarios: heldOn8, subnet: "127.86.1" },
])(
  "the simulated cluster answers as the recorded $version did, call by call",
  { timeout: 120_000 },
  async ({ version, baseline, scenarios, subnet }) => {
    const module = (await import(pathToFileURL(path.join(folder, "replay.mjs")).href)) as {
      replay: Replayer;
    };
    const datacenter = parseDatacenter(baseline, "baseline.yaml");
    const entries = Object.keys(datacenter.nodes).map((node, index) => ({
      node,
      host: `${subnet}.${index + 1}`,
      port: 8006,
    }));
    const sim = await startProxmox({
      datacenter,
      entries,
      network: loopbackNetwork(),
      clock: scaledClock(25),
      latencies: noLatencies,
      faults: faultBox(),
      boot: () => ({ stop: () => Promise.resolve() }),
    });
    try {
      const result = await module.replay({
        file: recording,
        version,
        entries: Object.fromEntries(entries.map(({ node, host, port }) => [node, `https://${host}:${port}`])),
        tokens: Object.fromEntries(Object.entries(datacenter.tokens).map(([id, { secret }]) => [id, secret])),
        scenarios,
        fixturesPort: 18_099,
        pauses: false,
        reset: () => sim.reset(),
      });
      process.stdout.write(`${table(version, result)}\n`);
      const misses = result.scenarios.flatMap(({ id, stopped, diffs }) => [
        ...(stopped === undefined ? [] : [{ id, stopped }]),
        ...diffs.filter(({ level }) => level <= 2).map((diff) => ({ id, ...diff })),
      ]);
      expect(misses).toEqual([]);
      expect(result.scenarios.map(({ id }) => id).toSorted()).toEqual(scenarios.toSorted());
    } finally {
      await sim.close();
    }
  },
);

function table(version: string, { areas, total }: Replay): string {
  const row = (name: string, count: Count) =>
    [name.padEnd(14), ...[count.calls, count.l1, count.l2, count.l3].map((n) => String(n).padStart(6))].join(
      "",
    );
  return [
    `${`Proxmox ${version}`.padEnd(14)} calls    L1    L2    L3`,
    ...Object.entries(areas).map(([name, count]) => row(name, count)),
    row("total", total),
  ].join("\n");
}
