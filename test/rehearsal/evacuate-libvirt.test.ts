import { afterAll, beforeAll, expect, test } from "vitest";
import { renderError, renderMoves } from "../../src/cli/views/index.ts";
import { movesInput } from "../../src/cli/commands/day-two/run-moves.ts";
import type { LibvirtClient } from "../../src/clients/libvirt/index.ts";
import { evacuateHost, returnToHost } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { expectGolden } from "../support/golden.ts";
import { testScreen } from "../support/screens/canvas.ts";
import {
  domainsOf,
  libvirtFleet as fleet,
  libvirtHome,
  libvirtPlaces as places,
  libvirtState,
  volumesOf,
} from "../support/sim/libvirt-moves.ts";
import { move } from "../support/sim/moves.ts";
import { errorsIn, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { sampled, whole } from "../support/whole-sweep.ts";

/** Hosts of libvirt share nothing: machines go switched off, one after the other, with their disks. */

let site: RehearsalSite;
beforeAll(async () => {
  site = await runningSite(fleet);
  Object.assign(site.latencies, { uploadMs: 2_000, startMs: 1_000 });
});
afterAll(() => site?.[Symbol.asyncDispose]());

const wanted = { wanted: fleet };
const evacuated = { "cp-1": "lyra", "cp-2": "lyra", "cp-3": "orion", "worker-1": "orion" };
const noChanges = async () => (await site.plan(fleet)).changes.map(({ node }) => node.id);
const onHydra = () => [
  ...domainsOf(site).filter(({ host }) => host === "hydra"),
  ...["cp-1", "worker-1"].flatMap((node) => volumesOf(site, "hydra", node)),
];

/** What must hold in every simulated moment, whatever goes on. */
function watch() {
  const broken = new Set<string>();
  const look = (): void => {
    const running = domainsOf(site).filter(({ domain }) => domain.id >= 0);
    const names = running.map(({ node }) => node);
    if (new Set(names).size < names.length) broken.add("two machines of a node run");
    if (names.filter((name) => name.startsWith("cp-")).length < 2) broken.add("two control planes are off");
    if (names.length < 3) broken.add("two nodes are off");
    cancel = site.rehearsal.time.background.after(250, look);
  };
  let cancel = (): void => {};
  look();
  return { broken, end: () => cancel() };
}

const changing =
  /^(?:define|start|shutdown|destroy|undefine|create|upload|remove|set|refresh)[A-Z]|^downloadVolume$/;

/** Ends the run before the n-th call that changes something, as a kill would: nothing is put in order after it. */
function killedBefore(n: number) {
  const calls: string[] = [];
  const guarded = (client: LibvirtClient): LibvirtClient =>
    new Proxy(client, {
      get(of, name: string) {
        const found: unknown = Reflect.get(of, name);
        if (typeof found !== "function") return found;
        return (...args: unknown[]): unknown => {
          const isNote = JSON.stringify(args[0])?.includes("slipway-lock") ?? false;
          if (changing.test(name) && !isNote) calls.push(name);
          if (calls.length >= n && !isNote) throw new Error("killed");
          return Reflect.apply(found, of, args) as unknown;
        };
      },
    });
  return { guarded, calls };
}

test("evacuate moves machines with their disks one after the other, and return brings them back", async () => {
  const seen = watch();
  const away = await move(site, evacuateHost, wanted);
  expect(away.report.outcome, errorsIn(away.events).join("; ")).toBe("done");
  expect(places(site)).toEqual(evacuated);
  expect(onHydra()).toEqual([]);
  expect(away.planned?.moves.map(({ outlook: { way } }) => way)).toEqual(["restarts", "restarts"]);
  expect(volumesOf(site, "orion", "worker-1")).toEqual(
    expect.arrayContaining(["lab-worker-1.qcow2", "slipway.lab.worker-1.data1.qcow2"]),
  );
  expect(await noChanges()).toEqual([]);
  expect((await move(site, evacuateHost, wanted)).report.outcome).toBe("unchanged");
  const back = await move(site, returnToHost, wanted);
  expect(back.report.outcome, errorsIn(back.events).join("; ")).toBe("done");
  seen.end();
  expect([...seen.broken]).toEqual([]);
  expect(places(site)).toEqual(libvirtHome);
  expect([...volumesOf(site, "orion", "worker-1"), ...volumesOf(site, "lyra", "cp-1")]).toEqual([]);
  expect(await noChanges()).toEqual([]);
});

test("a copy that fails is taken away, and the machine runs where it was", whole, async () => {
  const all = Object.values(libvirtState(site)["orion"]?.places ?? {});
  const sizes = all.map(({ sizeBytes }) => sizeBytes);
  // Somebody fills the pool between the plan and the copy.
  const onEvent = (event: EventBody): void => {
    if (event.type === "started") for (const place of all) place.sizeBytes = 0;
  };
  const failed = await move(site, evacuateHost, { ...wanted, onEvent });
  for (const [index, place] of all.entries()) place.sizeBytes = sizes[index] ?? 0;
  expect(failed.report).toMatchObject({
    outcome: "failed",
    kept: expect.stringMatching(/^0 of 2 machines/) as string,
  });
  expect(errorsIn(failed.events).join()).toContain("LIBVIRT_POOL_FULL");
  expect(places(site)).toEqual(libvirtHome);
  expect(volumesOf(site, "orion", "worker-1")).toEqual([]);
  // It has just been started again.
  await site.pass(60_000);
  expect(await noChanges()).toEqual([]);
});

test(
  "killed before any change, the next run finishes it, and never two machines of a node run",
  { ...whole, timeout: 1_800_000 },
  async () => {
    const seen = watch();
    const uncut = killedBefore(Infinity);
    await move(site, evacuateHost, { ...wanted, guarded: uncut.guarded });
    await move(site, returnToHost, wanted);
    const points = uncut.calls.map((_call, index) => index + 1);
    for (const at of sampled(points, 8, 5)) {
      const { guarded, calls } = killedBefore(at);
      const cut = await move(site, evacuateHost, { ...wanted, guarded }).catch(() => undefined);
      expect(cut?.report.outcome, `killed before call ${at}`).not.toBe("done");
      const again = await move(site, evacuateHost, wanted);
      const when = `killed before ${calls.at(-1)} (${at}): ${errorsIn(again.events).join("; ")}`;
      expect([again.report.outcome, places(site), onHydra()], when).toEqual(["done", evacuated, []]);
      const back = await move(site, returnToHost, wanted);
      expect([back.report.outcome, places(site)], when).toEqual(["done", libvirtHome]);
    }
    seen.end();
    expect([...seen.broken].filter((text) => text !== "two nodes are off")).toEqual([]);
    expect(await noChanges()).toEqual([]);
  },
);

test(
  "a move that is given up is undone by up: the machine runs where it was, and the half copy is gone",
  whole,
  async () => {
    const { guarded } = killedBefore(8);
    await move(site, evacuateHost, { ...wanted, guarded }).catch(() => undefined);
    expect(volumesOf(site, "orion", "worker-1")).not.toEqual([]);
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
    expect(places(site)).toEqual(libvirtHome);
    expect(volumesOf(site, "orion", "worker-1")).toEqual([]);
    expect(await noChanges()).toEqual([]);
  },
);

/** What forbids a move, done to a host or to a machine of hydra. */
const blockers: Record<string, () => void> = {
  "snapshots, and a device of the host": () => {
    const [cp, worker] = ["cp-1", "worker-1"].map(
      (name) => domainsOf(site).find(({ node }) => node === name)?.domain,
    );
    if (cp) cp.snapshots = ["before-upgrade"];
    const devices = worker?.defined?.children.find(({ name }) => name === "devices");
    (devices?.children as unknown[] | undefined)?.push({
      name: "hostdev",
      attributes: {},
      children: [],
      text: "",
    });
  },
  "variables of UEFI": () => {
    const cp = domainsOf(site).find(({ node }) => node === "cp-1")?.domain;
    const os = cp?.defined?.children.find(({ name }) => name === "os");
    if (os) Object.assign(os.attributes, { firmware: "efi" });
  },
  "no space": () => {
    for (const at of ["lyra", "orion"])
      for (const place of Object.values(libvirtState(site)[at]?.places ?? {})) place.sizeBytes = 2 ** 20;
  },
  "no pool, and a volume of that name": () => {
    const { lyra, orion } = libvirtState(site);
    for (const pool of Object.values(lyra?.pools ?? {})) pool.name = "other";
    const [place] = Object.values(orion?.places ?? {}).filter(
      ({ volumes }) => Object.keys(volumes).length > 0,
    );
    const [volume] = Object.values(place?.volumes ?? {});
    for (const name of ["lab-cp-1.qcow2", "lab-worker-1.qcow2"])
      if (place && volume) place.volumes[name] = { ...volume, name };
  },
};

test("whatever forbids a move is named before anything is touched, and the screen says what it costs", async () => {
  const texts: string[] = [];
  const screen = testScreen({ columns: 100 });
  for (const { volumes } of Object.values(libvirtState(site)["hydra"]?.places ?? {}))
    for (const volume of Object.values(volumes))
      if (volume.format === "qcow2") volume.physicalBytes = 3 * 2 ** 30;
  for (const [name, hinder] of Object.entries(blockers)) {
    const before = structuredClone(libvirtState(site));
    hinder();
    const { report } = await move(site, evacuateHost, wanted);
    texts.push(`# ${name}\n${report.error ? renderError(report.error, {}, screen) : report.outcome}`);
    for (const [at, state] of Object.entries(before)) Object.assign(libvirtState(site)[at] ?? {}, state);
  }
  const { planned } = await move(site, evacuateHost, { ...wanted, isAgreed: false });
  if (planned) texts.push(`# agreed to before\n${renderMoves(movesInput(planned), screen)}`);
  expectGolden(texts.join("\n"), import.meta.dirname, "testdata/evacuate-libvirt.txt");
  expect(places(site)).toEqual(libvirtHome);
});
