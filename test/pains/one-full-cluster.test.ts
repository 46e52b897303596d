import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventBody } from "../../src/plan/index.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/**
 * What people suffer from with other tools, each with the issue it was seen in. One cluster that says everything the
 * file can say, on two hosts of one Proxmox cluster.
 */
const file = `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.6.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
  lyra: { proxmox: { url: "https://10.6.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    on: [hydra, lyra]
    placement: spread
    talos: { version: 1.13.9, extensions: [iscsi-tools], kernelArgs: [console=ttyS0] }
    kubernetes: 1.36.3
    network:
      cidr: 10.6.0.0/24
      gateway: .254
      dns: [.254, 1.1.1.1]
      bridge: vmbr1
      vlan: 14
      vip: .100
      podSubnets: [10.200.0.0/16]
      serviceSubnets: [10.100.0.0/16]
      dnsDomain: lab.internal
    tags: [lab]
    patches: [{ machine: { sysctls: { vm.max_map_count: "262144" } } }]
    controlPlanes:
      count: 3
      cores: 2
      memory: 4GiB
      disk: 20GiB
      address: .10
      vmid: 2000
      mac: "02:a1:b2:c3:d4:01"
      taints: { example.org/control: NoSchedule }
    workers:
      - name: big
        count: 2
        skip: [2]
        cores: 4
        memory: 8GiB
        disk: 60GiB
        dataDisks: [{ size: 10GiB, for: longhorn, storage: ceph }]
        address: .20
        vmid: 3000
        labels: { example.org/rack: left }
        patches: [{ machine: { kubelet: { extraArgs: { max-pods: "200" } } } }]
        nodes: { big-1: { memory: 12GiB, on: lyra } }
`;
const fleet = fleetOf(file);

let site: RehearsalSite;
let events: EventBody[];

beforeAll(async () => {
  site = await rehearsalSite(fleet);
  const told = await site.up(fleet);
  expect(told.runReport.outcome, errorsIn(told.events).join("; ")).toBe("done");
  events = told.events;
});

afterAll(() => site[Symbol.asyncDispose]());

const proxmox = () => site.rehearsal.datacenter.proxmox.state();
const calls = () => site.rehearsal.datacenter.faults.seen;
const config = (vmid: number) => proxmox().vms[vmid]?.config ?? {};

test("pain-02-no-machine-of-another-is-touched: each carries its owner from the first call on (bpg#1610, omni-pve#28)", async () => {
  for (const vmid of site.machines()) {
    expect(config(vmid)["tags"]).toBe("lab;slipway;slipway-lab");
    expect(config(vmid)["description"]).toContain('"cluster":"lab"');
  }
  const before = structuredClone(config(2000));
  const others = fleetOf(file.replace("\n  lab:", "\n  other:"));
  const { runReport, events: told } = await site.up(others, { until: "machines" });
  expect(runReport.outcome).toBe("failed");
  expect(errorsIn(told).join()).toContain("2000 for cp-1 is node cp-1 of cluster lab");
  expect((await site.down(others)).runReport.outcome).toBe("unchanged");
  expect(config(2000)).toEqual(before);
});

test("pain-03-nothing-waits-for-a-guest-agent (bpg#449, telmate#573, talos#12616)", () => {
  expect(site.machines().map((vmid) => config(vmid)["agent"])).toEqual(
    site.machines().map(() => "enabled=0"),
  );
  expect(calls().filter((call) => call.includes("/agent"))).toEqual([]);
});

test("pain-06-a-second-plan-finds-no-difference: not in any field of a full file (bpg#1083, telmate#655)", async () => {
  const plan = await site.plan(fleet);
  expect(plan.changes).toEqual([]);
  expect(plan.refused).toEqual([]);
  expect((await site.up(fleet)).runReport.outcome).toBe("unchanged");
});

test("pain-05-a-migrated-machine-stays: it is accepted where it is (bpg#391, telmate#76)", async () => {
  const machine = proxmox().vms[3000];
  if (!machine) throw new Error("there is no machine 3000");
  expect(machine.node).toBe("lyra");
  machine.node = "hydra";
  try {
    // The machine itself is left alone; only the label that says where it is follows it.
    expect(
      (await site.plan(fleet)).changes.map(({ node, consequence }) => `${consequence} ${node.id}`),
    ).toEqual(["hot lab/cluster/access", "hot lab/config/big-1"]);
  } finally {
    machine.node = "lyra";
  }
});

test("pain-07-the-token-is-enough: no log-in, no shell, no file on the host (bpg#2112, bpg#300)", () => {
  // The serial console of a machine is read; that of a host is a shell on it.
  const other = /\/access\/ticket|snippets|\{node\}\/termproxy|\/vncshell|\/execute/;
  expect(calls().filter((call) => other.test(call))).toEqual([]);
});

test("pain-09-each-host-has-the-image: it fetches it itself, once (capmox#451, telmate#1375)", () => {
  const images = proxmox().volumes.filter((volume) =>
    JSON.stringify(volume).includes("import/slipway-talos"),
  );
  expect(images).toHaveLength(2);
  expect(calls().filter((call) => call.endsWith("/download-url"))).toHaveLength(2);
});

test("pain-10-machines-are-spread: control planes on different hosts, a pinned node where the file says (omni-pve#33, capmox#577)", () => {
  const nodeOf = (vmid: number) => proxmox().vms[vmid]?.node;
  expect(new Set([2000, 2001, 2002].map(nodeOf))).toEqual(new Set(["hydra", "lyra"]));
  expect(nodeOf(3000)).toBe("lyra");
});

test("pain-20-the-card-is-found-by-mac: whatever the kernel calls it (talos#10402, tf-talos#267)", () => {
  expect(config(2000)["net0"]).toBe("virtio=02:A1:B2:C3:D4:01,bridge=vmbr1,tag=14");
  const disk = proxmox().volumes.find((volume) => volume.vmid === 2000 && volume.data !== undefined);
  const talos = disk?.data?.["talos"] as { config: string } | undefined;
  const applied = talos?.config ?? "";
  expect(applied).toContain('match: mac(link.permanent_addr) == "02:a1:b2:c3:d4:01"');
  expect(applied).toContain("kind: Layer2VIPConfig\nname: 10.6.0.100\nlink: net0\n");
  expect(applied).not.toMatch(/eth0|ens18|enp\d/);
});

test("pain-22-the-processor-is-new-enough: it has what Talos needs (talos#5823, talos#7202)", () => {
  expect(site.machines().map((vmid) => config(vmid)["cpu"])).toEqual(
    site.machines().map(() => "x86-64-v2-AES"),
  );
});

test("pain-25-each-stage-has-its-own-readiness: etcd, API, nodes, in order (tf-talos#183, tf-talos#221)", () => {
  const finished = events.flatMap((event) => (event.type === "finished" ? [event.step] : []));
  const stages = ["lab/config/cp-1", "lab/cluster/etcd", "lab/cluster/api", "lab/cluster/nodes"];
  expect(finished.filter((step) => stages.includes(step))).toEqual(stages);
  const started = events.findIndex((event) => event.type === "started" && event.step === "lab/cluster/api");
  const etcd = events.findIndex((event) => event.type === "finished" && event.step === "lab/cluster/etcd");
  expect(started).toBeGreaterThan(etcd);
});

test("pain-01-locks-are-waited-for: machines and storages that others hold fail nothing (bpg#995, telmate#173)", async () => {
  const faults = [
    { call: "proxmox POST /nodes/*/qemu", kind: "lock" as const, times: 2 },
    { call: "proxmox POST /nodes/*/status/start", kind: "lock" as const, times: 2 },
  ];
  await using busy = await rehearsalSite(fleet, { faults });
  const { runReport, events: told } = await busy.up(fleet, { until: "machines" });
  expect(runReport.outcome, errorsIn(told).join("; ")).toBe("done");
  expect(told.filter((event) => event.type === "retried").length).toBeGreaterThan(0);
});

// Last, because it takes the cluster away.
test("pain-04-destroy-never-waits-for-acpi, pain-13-no-disk-is-left-behind (bpg#1620, telmate#1110, telmate#1509)", async () => {
  const from = calls().length;
  const { runReport, events: told } = await site.down(fleet, { isDataLossAccepted: true });
  expect(runReport.outcome, errorsIn(told).join("; ")).toBe("done");
  const made = calls().slice(from);
  expect(made.filter((call) => call.endsWith("/status/shutdown"))).toEqual([]);
  expect(made.filter((call) => call.endsWith("/status/stop"))).toHaveLength(5);
  expect(site.machines()).toEqual([]);
  expect(proxmox().volumes).toEqual([]);
});
