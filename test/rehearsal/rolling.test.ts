import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Latencies } from "../../src/sim/index.ts";
import type { ReachReport } from "../support/sim/reach-prober.ts";
import { isFull, whole } from "../support/whole-sweep.ts";
import {
  errorsIn,
  fleetOf,
  rehearsalSite,
  type RehearsalSite,
  type Told,
} from "../support/sim/rehearsal-site.ts";
import { watchCluster } from "../support/sim/watch-cluster.ts";

/** Changes of a running cluster reach its nodes one after the other, and stop where one does not come back. */

const vip = "10.8.0.9";
const controlPlanes = [10, 11, 12].map((last, index) => ({
  name: `cp-${index + 1}`,
  host: `10.8.0.${last}`,
}));
const workers = [20, 21, 22].map((last, index) => ({ name: `worker-${index + 1}`, host: `10.8.0.${last}` }));
const apiNames = controlPlanes.map(({ name }) => `API on ${name}`);
const cpNames = controlPlanes.map(({ name }) => name);

const auditing = '{ extraArgs: { audit-log-maxage: "30" } }';
const rebooting = '{ machine: { env: { GRPC_GO_LOG_VERBOSITY_LEVEL: "99" } } }';

const fleet = ({ patch = "", apiServer = "", memory = "2GiB" } = {}) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    ${patch === "" ? "" : `patches: [${patch}]`}
    controlPlanes: { count: 3, cores: 1, memory: ${memory}, address: .10, vmid: 2000${apiServer === "" ? "" : `, patches: [{ cluster: { apiServer: ${apiServer} } }]`} }
    workers: { count: 3, cores: 1, memory: ${memory}, address: .20, vmid: 3000 }
`);

/** As measured on real nodes: long on the way down, and the API server of a changed node refuses for a while. */
const latencies: Partial<Latencies> = {
  stopMs: 1_200,
  startMs: 1_800,
  rebootMs: 8_000,
  bootMs: 8_000,
  etcdJoinMs: 4_000,
  apiServerMs: 12_000,
  registerMs: 2_000,
  readyMs: 3_000,
  leaveMs: 24_000,
  staticPodMs: 2_000,
  staticPodRestartMs: 16_000,
};

/** What a move of the shared address from node to node may cost. */
const moveMs = 1_000;

async function labOf(): Promise<RehearsalSite> {
  const site = await rehearsalSite(fleet(), { latencies });
  const first = await site.up(fleet());
  expect(first.runReport.outcome, errorsIn(first.events).join("; ")).toBe("done");
  return site;
}

/** Five times a second in a full run. */
const watch = (site: RehearsalSite): Promise<ReachReport> =>
  watchCluster(site, { vip, controlPlanes, workers, vipEveryMs: isFull ? 200 : 1_000 });

async function changeUnderWatch(site: RehearsalSite, to: ReturnType<typeof fleet>) {
  const reach = await watch(site);
  const told: Told = await site.up(to);
  // What a run leaves behind may still fall over a moment later.
  await site.pass(60_000);
  await reach.stop();
  expect(reach.asked("VIP")).toBeGreaterThan(isFull ? 300 : 60);
  return { ...told, reach };
}

/** No leader of etcd goes without another in its place. */
const handedOver = (events: Told["events"]): string[] =>
  events.flatMap((event) =>
    event.type === "log" && event.text.startsWith("etcd is led by") ? [event.text] : [],
  );

describe("three control planes and three workers", () => {
  let site: RehearsalSite;
  beforeAll(async () => {
    site = await labOf();
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  test(
    "an API server setting goes to one control plane at a time, and the cluster's address answers throughout [talos 2]",
    whole,
    async () => {
      const to = fleet({ apiServer: auditing });
      const changes = (await site.plan(to)).changes.filter(({ node }) => node.kind === "talos/config");
      expect(changes.map(({ consequence }) => consequence)).toEqual(["disturb", "disturb", "disturb"]);
      const { runReport, events, reach } = await changeUnderWatch(site, to);
      expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
      expect(reach.everAway()).toEqual(expect.arrayContaining(apiNames));
      expect(reach.mostAwayOf(apiNames)).toBe(1);
      expect(reach.mostAwayOf(cpNames)).toBe(0);
      expect(reach.longestAwayMs("VIP")).toBeLessThanOrEqual(moveMs);
      expect((await site.up(to)).runReport.outcome).toBe("unchanged");
    },
  );

  test.skipIf(!isFull)(
    "a patch that needs a reboot goes to one node at a time, the next when the last is back [talos 1] [talos S1]",
    whole,
    async () => {
      site.latencies.leaveMs = 52_000;
      const { runReport, events, reach } = await changeUnderWatch(
        site,
        fleet({ patch: rebooting, apiServer: auditing }),
      );
      expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
      expect(reach.mostAwayOf(apiNames)).toBe(1);
      expect(reach.mostAwayOf(cpNames)).toBe(1);
      expect(reach.mostAwayOf([...controlPlanes, ...workers].map(({ name }) => name))).toBe(1);
      expect(reach.everAway()).toEqual(
        expect.arrayContaining([...cpNames, ...workers.map(({ name }) => name)]),
      );
      expect(reach.longestAwayMs("VIP")).toBeLessThanOrEqual(moveMs);
      expect(handedOver(events)).not.toEqual([]);
    },
  );

  test.skipIf(!isFull)(
    "more memory goes to one machine at a time, and the cluster's address answers throughout",
    whole,
    async () => {
      site.latencies.leaveMs = 14_000;
      const { runReport, events, reach } = await changeUnderWatch(
        site,
        fleet({ patch: rebooting, apiServer: auditing, memory: "3GiB" }),
      );
      expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
      expect(reach.everAway()).toEqual(expect.arrayContaining(apiNames));
      expect(reach.mostAwayOf(apiNames)).toBe(1);
      expect(reach.mostAwayOf(cpNames)).toBe(1);
      expect(reach.longestAwayMs("VIP")).toBeLessThanOrEqual(moveMs);
      expect(handedOver(events)).not.toEqual([]);
    },
  );
});

test.skipIf(!isFull).each([
  ["reboots", fleet({ patch: rebooting })],
  ["gets more memory", fleet({ memory: "3GiB" })],
])(
  "where a node %s and does not come back, no other node is touched [talos 1] [proxmox 3]",
  whole,
  async (_what, to) => {
    await using site = await labOf();
    const reach = await watch(site);
    const lost = firstAway(site, reach).then((name) => ({ name, letGo: keepOff(site, name) }));
    const { runReport, events } = await site.up(to);
    await site.pass(30_000);
    await reach.stop();
    const { name, letGo } = await lost;
    letGo();
    const skipped = events.filter((event) => event.type === "skipped");
    expect(runReport.outcome).toBe("failed");
    const nodes = [...controlPlanes, ...workers].map((node) => node.name);
    expect(reach.everAway().filter((each) => nodes.includes(each))).toEqual([name]);
    const failed = events.filter((event) => event.type === "failed").map(({ step }) => step);
    expect(failed).toEqual([expect.stringContaining(name)]);
    expect(skipped.length).toBeGreaterThanOrEqual(5);
    expect(new Set(skipped.map(({ because }) => because))).toEqual(new Set(failed));
    expect(reach.longestAwayMs("VIP")).toBeLessThanOrEqual(2 * moveMs);
  },
);

test("while a worker that is off does not come back no other restarts, and once it does it is back first", async () => {
  await using site = await labOf();
  const { proxmox } = site.rehearsal.datacenter;
  const power = (): string[] =>
    proxmox
      .state()
      .tasks.filter(({ id, type }) => id.startsWith("300") && /^qm(?:shutdown|start)$/.test(type))
      .toSorted((a, b) => a.starttime - b.starttime)
      .map(({ id, type }) => `${type} ${id}`);
  await site.stopByHand(3000);
  const letGo = keepOff(site, "worker-1");
  await site.pass(60_000);
  const more = fleet({ memory: "3GiB" });
  const before = power().length;
  const cut = await site.up(more);
  expect(cut.runReport.outcome).toBe("failed");
  expect(
    power()
      .slice(before)
      .filter((task) => !task.endsWith("3000")),
  ).toEqual([]);
  letGo();
  await site.stopByHand(3000).catch(() => undefined);
  await site.pass(60_000);
  const second = power().length;
  const { runReport, events } = await site.up(more);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(power().slice(second)).toEqual([
    "qmstart 3000",
    ...["qmshutdown 3001", "qmstart 3001", "qmshutdown 3002", "qmstart 3002"],
  ]);
});

async function firstAway(site: RehearsalSite, reach: ReachReport): Promise<string> {
  const nodes = [...controlPlanes, ...workers].map(({ name }) => name);
  for (;;) {
    const found = reach.everAway().find((each) => nodes.includes(each));
    if (found !== undefined) return found;
    await site.pass(100);
  }
}

/** Whatever starts the machine again, its power goes at once. Returns how to let go of it. */
function keepOff(site: RehearsalSite, name: string): () => void {
  const { proxmox } = site.rehearsal.datacenter;
  const found = Object.values(proxmox.state().vms).find((vm) => String(vm.config["name"]).endsWith(name));
  if (!found) throw new Error(`there is no machine of ${name}`);
  const { background } = site.rehearsal.time;
  let cancel: () => void;
  const cut = (): void => {
    void proxmox.cutPower(found.vmid);
    cancel = background.after(500, cut);
  };
  cut();
  return () => cancel();
}

const k3s = (keep: string) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  edge:
    k3s: { user: debian, disable: [traefik]${keep} }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.8.0.0/24, gateway: .254 }
    controlPlanes: { count: 3, address: .10, vmid: 2000 }
    workers: { count: 0 }
`);

test("where the change of one server of K3s fails, no other is touched [proxmox 3]", async () => {
  await using site = await rehearsalSite(k3s(""));
  const first = await site.up(k3s(""));
  expect(first.runReport.outcome, errorsIn(first.events).join("; ")).toBe("done");
  const { faults } = site.rehearsal.datacenter;
  faults.hosts.add({ kind: "disk-full", path: "/etc/rancher/*" });
  const seen = faults.seen.length;
  const { runReport, events } = await site.up(k3s(", snapshots: { keep: 9 }"));
  expect(runReport.outcome).toBe("failed");
  expect(faults.seen.slice(seen).filter((call) => call.includes("systemctl restart"))).toEqual([]);
  const stepsOf = (type: "failed" | "skipped"): string[] =>
    events
      .flatMap((event) => (event.type === type ? [event.step] : []))
      .filter((step) => /cp-\d$/.test(step));
  expect([stepsOf("failed").length, stepsOf("skipped").length]).toEqual([1, 2]);
});
