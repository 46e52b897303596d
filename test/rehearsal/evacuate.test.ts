import { readFile } from "node:fs/promises";
import { once } from "node:events";
import path from "node:path";
import tls from "node:tls";
import { whole } from "../support/whole-sweep.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readKubeconfig } from "../../src/clients/kube/index.ts";
import { evacuateHost, returnToHost } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { isProxmoxHost } from "../../src/spec/index.ts";
import {
  atHome,
  file,
  fleet,
  move,
  places,
  snapshot,
  stateOf,
  tasks,
  three,
  vmOf,
} from "../support/sim/moves.ts";
import { probeReach, type ReachReport } from "../support/sim/reach-prober.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** A host needs maintenance: its machines go to the others while they work, and come back. */

const controlPlanes = [10, 11, 12].map((last, index) => ({
  name: `cp-${index + 1}`,
  host: `10.15.0.${last}`,
}));
const cpNames = controlPlanes.map(({ name }) => name);
const evacuated = { ...atHome, "cp-1": "lyra", "worker-1": "orion" };

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

describe("three hosts, three control planes and three workers", () => {
  let site: RehearsalSite;
  beforeAll(async () => {
    site = await runningSite(fleet);
    const client = await clientOf(site);
    await (
      await client.createMachine("hydra", { vmid: 900, name: "nas", memory: "512", scsi0: "local-lvm:8" })
    ).wait();
    Object.assign(site.latencies, { importMs: 10_000, startMs: 2_000 });
  });
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
  });

  test("afterwards nothing is left to change, and a second evacuation finds nothing to move", async () => {
    expect(await noChanges()).toEqual([]);
    expect((await site.up(fleet)).runReport.outcome).toBe("unchanged");
    const { report } = await move(site, evacuateHost);
    expect([report.outcome, tasks(site).length]).toEqual(["unchanged", 2]);
  });

  test("return brings back what the file puts there, and again nothing is left to change", async () => {
    const seen = watch(site);
    const { report, events } = await move(site, returnToHost);
    seen.end();
    expect(report.outcome, errorsIn(events).join("; ")).toBe("done");
    expect([...seen.broken]).toEqual([]);
    expect(places(site)).toEqual(atHome);
    expect(await noChanges()).toEqual([]);
    expect((await move(site, returnToHost)).report.outcome).toBe("unchanged");
  });

  test("a move that fails ends the evacuation, and the next one goes on from there", whole, async () => {
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
  });

  test(
    "an evacuation that is cut waits for the machine on its way, and does not move it twice",
    whole,
    async () => {
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
    },
  );

  test("while another control plane does not do its work, none is moved", async () => {
    const { proxmox } = site.rehearsal.datacenter;
    await proxmox.cutPower(2001);
    const { report } = await move(site, evacuateHost);
    expect(report.error).toMatchObject({
      code: "RUN_ETCD_NOT_WHOLE",
      next: "See what is wrong: slipway doctor lab",
    });
    expect(places(site)).toEqual(atHome);
  });
});

test("of two control planes on one host the leader of etcd moves last", whole, async () => {
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
});

test("K3s moves the same way, and nothing is left to change", whole, async () => {
  const k3s = `    k3s: { user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
`;
  const wanted = fleetOf(file(three, k3s, 1).replace(", vip: .9", ""));
  await using site = await runningSite(wanted);
  const { report, events } = await move(site, evacuateHost, { wanted });
  expect(report.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(places(site)).toEqual({ "cp-1": "lyra", "cp-2": "lyra", "cp-3": "orion", "worker-1": "orion" });
  expect((await site.plan(wanted)).changes.map(({ node }) => node.id)).toEqual([]);
});
