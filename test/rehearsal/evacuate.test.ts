import { readFile } from "node:fs/promises";
import { once } from "node:events";
import path from "node:path";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderError } from "../../src/cli/views/index.ts";
import { readKubeconfig } from "../../src/clients/kube/index.ts";
import { evacuateHost, returnToHost, type PlannedMoves, type RunReport } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import type { ProxmoxState } from "../../src/sim/proxmox/index.ts";
import { isProxmoxHost, type Fleet } from "../../src/spec/index.ts";
import { expectGolden } from "../support/golden.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { probeReach, type ReachReport } from "../support/sim/reach-prober.ts";
import {
  errorsIn,
  fleetOf,
  rehearsalSite,
  runningSite,
  type RehearsalSite,
} from "../support/sim/rehearsal-site.ts";

/** A host needs maintenance: its machines go to the others while they work, and come back. */

const host = (name: string, n: number) =>
  `  ${name}: { proxmox: { url: "https://10.15.0.${n}:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }`;

const file = (on: string[], more = "", workers = 3) => `version: 1
hosts:
${on.map((name, index) => host(name, index + 1)).join("\n")}
clusters:
  lab:
    on: [${on.join(", ")}]
    network: { cidr: 10.15.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: ${workers}, memory: 2GiB, address: .20, vmid: 3000 }
${more}`;

const three = ["hydra", "lyra", "orion"];
const fleet = fleetOf(file(three));
const controlPlanes = [10, 11, 12].map((last, index) => ({
  name: `cp-${index + 1}`,
  host: `10.15.0.${last}`,
}));
const cpNames = controlPlanes.map(({ name }) => name);
const atHome = {
  "cp-1": "hydra",
  "cp-2": "lyra",
  "cp-3": "orion",
  "worker-1": "hydra",
  "worker-2": "lyra",
  "worker-3": "orion",
};
const evacuated = { ...atHome, "cp-1": "lyra", "worker-1": "orion" };

interface Moved {
  report: RunReport;
  events: EventBody[];
  planned?: PlannedMoves;
}

async function move(
  site: RehearsalSite,
  verb: typeof evacuateHost,
  {
    wanted = fleet,
    name = "hydra",
    stop = new AbortController().signal,
    onEvent = (_event: EventBody): void => {},
  }: { wanted?: Fleet; name?: string; stop?: AbortSignal; onEvent?: (event: EventBody) => void } = {},
): Promise<Moved> {
  const events: EventBody[] = [];
  let planned: PlannedMoves | undefined;
  const world = site.rehearsal.world(stop, (event) => {
    events.push(event);
    onEvent(event);
  });
  const confirm = (shown: PlannedMoves) => {
    planned = shown;
    return Promise.resolve(true);
  };
  const report = await verb({ fleet: wanted, host: name, confirm }, world);
  return { report, events, ...(planned && { planned }) };
}

const stateOf = (site: RehearsalSite): ProxmoxState => site.rehearsal.datacenter.proxmox.state();

function vmOf(site: RehearsalSite, vmid: number): ProxmoxState["vms"][string] {
  const found = stateOf(site).vms[String(vmid)];
  if (!found) throw new Error(`no machine ${vmid}`);
  return found;
}

const snapshot = (site: RehearsalSite, vmid: number, name: string): void => {
  vmOf(site, vmid).snapshots[name] = { config: {}, disks: {}, takenAt: 0, description: "" };
};

const places = (site: RehearsalSite): Record<string, string> =>
  Object.fromEntries(
    Object.values(stateOf(site).vms)
      .filter(({ config }) => config["description"] !== undefined)
      .map((vm) => [String(vm.config["name"]), vm.node]),
  );

const tasks = (site: RehearsalSite, type = "qmigrate"): string[] =>
  stateOf(site)
    .tasks.filter((task) => task.type === type)
    .map(({ id, node }) => `${id} from ${node}`);

const clientOf = async (site: RehearsalSite, wanted = fleet) => {
  const [first] = wanted.hosts.filter(isProxmoxHost);
  if (!first) throw new Error("no host");
  return site.rehearsal.world(new AbortController().signal, () => {}).openProxmox(first);
};

/** What must hold in every simulated second, whatever goes on. */
function watch(site: RehearsalSite) {
  const { clock, background } = site.rehearsal.time;
  const broken = new Set<string>();
  let looks = 0;
  let cancel = (): void => {};
  const look = (): void => {
    looks += 1;
    const vms = Object.values(stateOf(site).vms);
    const moving = vms
      .filter(({ config }) => config["lock"] === "migrate")
      .map(({ config }) => String(config["name"]));
    if (moving.filter((name) => cpNames.includes(name)).length > 1) broken.add("two control planes away");
    if (moving.length > 2) broken.add(`more than two machines move: ${moving.join(", ")}`);
    const names = vms.map(({ config }) => String(config["name"]));
    if (new Set(names).size < names.length) broken.add("a machine twice");
    if (vms.some(({ config, running }) => config["name"] !== "nas" && !running))
      broken.add("a machine is off");
    cancel = background.after(1_000, look);
  };
  look();
  return { broken, looks: () => looks, clock, end: () => cancel() };
}

/** The API through the cluster's address, and every control plane, asked over the wire as long as it goes on. */
async function probe(site: RehearsalSite): Promise<ReachReport> {
  const dial = site.rehearsal.world(new AbortController().signal, () => {}).dialFor("lab");
  const { ca, cert, key } = readKubeconfig(await readFile(path.join(site.folder, "lab/kubeconfig"), "utf8"));
  const secureContext = tls.createSecureContext({ ca, cert, key });
  const api = (to: string) => async (signal: AbortSignal) => {
    const socket = tls.connect({
      socket: await dial({ host: to, port: 6443 }, signal),
      host: to,
      secureContext,
    });
    try {
      socket.write(`GET /readyz HTTP/1.1\r\nHost: ${to}\r\nConnection: close\r\n\r\n`);
      const [said] = (await once(socket, "data", { signal })) as [Buffer];
      if (!said.toString().startsWith("HTTP/1.1 200 ")) throw new Error("not ready");
    } finally {
      socket.destroy();
    }
  };
  return probeReach(
    [
      { name: "VIP", everyMs: 1_000, ask: api("10.15.0.9") },
      ...controlPlanes.map(({ name, host: to }) => ({ name, everyMs: 1_000, ask: api(to) })),
    ],
    site.rehearsal.time.clock,
  );
}

/** A machine that cannot move, and why. */
const hindrances: Record<string, (site: RehearsalSite) => void> = {
  "a snapshot of ours": (site) => snapshot(site, 2000, "slipway-20260714-093102"),
  "a snapshot of others, and a device": (site) => {
    snapshot(site, 3000, "before-upgrade");
    vmOf(site, 2000).config["hostpci0"] = "0000:01:00.0";
  },
  "a disc in the drive": (site) => {
    stateOf(site).volumes.push({
      ...{ storage: "local", node: "hydra", name: "iso/tools.iso", content: "iso", format: "iso" },
      ...{ sizeBytes: 2 ** 20, usedBytes: 2 ** 20, createdAt: 0, checksums: {} },
    });
    vmOf(site, 2000).config["ide3"] = "local:iso/tools.iso,media=cdrom";
  },
  "a linked clone": (site) => {
    const vm = vmOf(site, 3000);
    const disk = stateOf(site).volumes.find(({ vmid, name }) => vmid === 3000 && name.includes("disk-0"));
    if (!disk) throw new Error("no disk");
    vm.config["scsi0"] = String(vm.config["scsi0"]).replace(disk.name, `base-9000-disk-0/${disk.name}`);
    disk.name = `base-9000-disk-0/${disk.name}`;
  },
  "a backup under way": (site) => void (vmOf(site, 3000).config["lock"] = "backup"),
  "a bridge of this host alone": (site) => {
    const { config } = vmOf(site, 3000);
    config["net1"] = "virtio=BC:24:11:00:00:01,bridge=vmbr7";
  },
  "no memory anywhere": (site) => void (vmOf(site, 3000).config["memory"] = 900_000),
};

describe("three hosts, three control planes and three workers", () => {
  let site: RehearsalSite;
  beforeAll(async () => {
    site = await runningSite(fleet);
    const client = await clientOf(site);
    await (
      await client.createMachine("hydra", { vmid: 900, name: "nas", memory: "512", scsi0: "local-lvm:8" })
    ).wait();
    Object.assign(site.latencies, { importMs: 10_000, startMs: 2_000 });
  }, 120_000);
  afterAll(() => site?.[Symbol.asyncDispose]());

  const nas = () => JSON.stringify(stateOf(site).vms["900"]);
  const noChanges = async () => (await site.plan(fleet)).changes.map(({ node }) => node.id);

  test("evacuate moves the machines of one host while they work, and touches no other", async () => {
    const before = nas();
    const guests = stateOf(site).tasks.filter(({ type }) => type === "qmstart").length;
    const seen = watch(site);
    const reach = await probe(site);
    const { report, events, planned } = await move(site, evacuateHost);
    seen.end();
    await reach.stop();
    expect(report.outcome, errorsIn(events).join("; ")).toBe("done");
    expect(places(site)).toEqual(evacuated);
    expect([...seen.broken]).toEqual([]);
    expect(seen.looks()).toBeGreaterThan(20);
    expect(reach.everAway()).toEqual([]);
    expect(reach.asked("VIP")).toBeGreaterThan(20);
    // Nobody was restarted for it, and nothing of others has changed.
    expect(stateOf(site).tasks.filter(({ type }) => type === "qmstart").length).toBe(guests);
    expect(nas()).toBe(before);
    expect(planned?.staying).toEqual([{ name: "nas", id: 900, kind: "machine", isRunning: false }]);
    expect(planned?.warnings).toEqual([
      "cp-1, cp-2 of lab share lyra: when it is lost, so is the Kubernetes API",
    ]);
    expect(tasks(site)).toEqual(["3000 from hydra", "2000 from hydra"]);
  }, 120_000);

  test("afterwards nothing is left to change, and a second evacuation finds nothing to move", async () => {
    expect(await noChanges()).toEqual([]);
    expect((await site.up(fleet)).runReport.outcome).toBe("unchanged");
    const { report } = await move(site, evacuateHost);
    expect([report.outcome, tasks(site).length]).toEqual(["unchanged", 2]);
  }, 120_000);

  test("return brings back what the file puts there, and again nothing is left to change", async () => {
    const seen = watch(site);
    const { report, events } = await move(site, returnToHost);
    seen.end();
    expect(report.outcome, errorsIn(events).join("; ")).toBe("done");
    expect([...seen.broken]).toEqual([]);
    expect(places(site)).toEqual(atHome);
    expect(await noChanges()).toEqual([]);
    expect((await move(site, returnToHost)).report.outcome).toBe("unchanged");
  }, 120_000);

  test("a move that fails ends the evacuation, and the next one goes on from there", async () => {
    // Somebody takes a snapshot between the plan and the move.
    const failed = await move(site, evacuateHost, {
      onEvent: (event) => void (event.type === "plan" && snapshot(site, 3000, "by-hand")),
    });
    expect(errorsIn(failed.events).join()).toContain(
      "online storage migration not possible if non-replicated snapshot exists",
    );
    vmOf(site, 3000).snapshots = {};
    expect(failed.report).toMatchObject({
      outcome: "failed",
      counts: { done: 0, failed: 1, skipped: 4 },
      kept: "0 of 2 machines have moved; the others run where they were",
    });
    expect(places(site)).toEqual(atHome);
    const again = await move(site, evacuateHost);
    expect(again.report.outcome, errorsIn(again.events).join("; ")).toBe("done");
    expect(places(site)).toEqual(evacuated);
    expect((await move(site, returnToHost)).report.outcome).toBe("done");
  }, 120_000);

  test("an evacuation that is cut waits for the machine on its way, and does not move it twice", async () => {
    const begun = tasks(site).length;
    const stop = new AbortController();
    const onEvent = (event: EventBody): void => {
      if (event.type === "waiting" && event.probe === "task") stop.abort("SIGINT");
    };
    const cut = await move(site, evacuateHost, { stop: stop.signal, onEvent });
    expect(cut.report.outcome).toBe("stopped");
    expect(places(site)).toEqual(atHome);
    const seen = watch(site);
    const { report, events } = await move(site, evacuateHost);
    seen.end();
    expect(report.outcome, errorsIn(events).join("; ")).toBe("done");
    expect([...seen.broken]).toEqual([]);
    expect(tasks(site).slice(begun)).toEqual(["3000 from hydra", "2000 from hydra"]);
    expect(places(site)).toEqual(evacuated);
    expect((await move(site, returnToHost)).report.outcome).toBe("done");
    expect(await noChanges()).toEqual([]);
  }, 120_000);

  test("whatever forbids a move is named before anything moves", async () => {
    const texts: string[] = [];
    for (const [name, hinder] of Object.entries(hindrances)) {
      const before = structuredClone(stateOf(site));
      hinder(site);
      const { report } = await move(site, evacuateHost);
      expect(report.outcome, name).toBe("failed");
      texts.push(
        `# ${name}\n${report.error ? renderError(report.error, {}, testScreen({ columns: 100 })) : ""}`,
      );
      Object.assign(stateOf(site), before);
    }
    expectGolden(texts.join("\n"), import.meta.dirname, "testdata/evacuate-blocked.txt");
    expect(places(site)).toEqual(atHome);
  }, 120_000);

  test("while another control plane does not do its work, none is moved", async () => {
    const { proxmox } = site.rehearsal.datacenter;
    await proxmox.cutPower(2001);
    const { report } = await move(site, evacuateHost);
    expect(report.error).toMatchObject({
      code: "RUN_ETCD_NOT_WHOLE",
      next: "See what is wrong: slipway doctor lab",
    });
    expect(places(site)).toEqual(atHome);
  }, 120_000);
});

test("of two control planes on one host the leader of etcd moves last", async () => {
  const two = fleetOf(file(["hydra", "lyra"], "", 1));
  await using site = await runningSite(two);
  const here = Object.entries(places(site)).filter(([name, on]) => on === "hydra" && cpNames.includes(name));
  expect(here.length).toBe(2);
  const { report, events } = await move(site, evacuateHost, { wanted: two });
  expect(report.outcome, errorsIn(events).join("; ")).toBe("done");
  const order = events.flatMap((event) =>
    event.type === "finished" && event.step.includes("/move/cp-") ? [event.step] : [],
  );
  expect(order).toEqual(["lab/move/cp-3", "lab/move/cp-1"]);
}, 120_000);

test("machines under high availability are moved by its manager, and only where its rules let them", async () => {
  const crowded = fleetOf(file(three, "    ha: true\n", 0));
  await using narrow = await rehearsalSite(crowded);
  expect((await narrow.up(crowded, { until: "machines" })).runReport.outcome).toBe("done");
  const refused = await move(narrow, evacuateHost, { wanted: crowded });
  expect(refused.report.error).toMatchObject({
    code: "RUN_MOVES_BLOCKED",
    why: "cp-1 has nowhere to go: lyra has cp-2, from which high availability keeps it apart, orion has cp-3, from which high availability keeps it apart. Nothing was moved",
  });
  const roomy = fleetOf(file([...three, "vega"], "    ha: true\n", 0));
  await using site = await rehearsalSite(roomy, { latencies: { haRoundMs: 10_000, importMs: 5_000 } });
  expect((await site.up(roomy, { until: "machines" })).runReport.outcome).toBe("done");
  const { report, events } = await move(site, evacuateHost, { wanted: roomy });
  expect(report.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(places(site)).toEqual({ "cp-1": "vega", "cp-2": "lyra", "cp-3": "orion" });
  expect([tasks(site, "hamigrate"), tasks(site)]).toEqual([["2000 from hydra"], ["2000 from hydra"]]);
}, 120_000);

test("what cannot be moved at all is refused with the reason", async () => {
  await using site = await rehearsalSite(fleet);
  const home = fleetOf(`version: 1
hosts: { desk: { libvirt: { uri: "qemu:///system", pool: { path: /var/lib/libvirt/slipway } } } }
clusters:
  lab:
    on: [desk]
    network: { cidr: 10.15.0.0/24, gateway: .254, bridge: br0 }
    controlPlanes: { count: 1, address: .10 }
`);
  expect((await move(site, evacuateHost, { wanted: home, name: "desk" })).report.error).toMatchObject({
    code: "RUN_HOST_CANNOT_MOVE",
    why: '"desk" is a host of libvirt, and Slipway moves machines only between nodes of one Proxmox cluster',
  });
  expect((await move(site, evacuateHost, { name: "vega" })).report).toMatchObject({
    exitCode: 2,
    error: { code: "SPEC_UNKNOWN_HOST" },
  });
}, 60_000);
