import { SlipwayError } from "../../../errors/index.ts";
import type { Domain, LibvirtClient } from "../../../clients/libvirt/index.ts";
import {
  defineResource,
  rollingRestart,
  same,
  type RollingGates,
  type ReadContext,
  type StepContext,
} from "../../../plan/index.ts";
import { makeConsoleLog } from "../disks/machine-volumes.ts";
import type { HostRegistry } from "../host-registry.ts";
import type { MachineKind } from "../machine/machine-board.ts";
import { findMachine, pathOf, placesOn, type MachineHave } from "../machine/find-machine.ts";
import { machineXml, type MachineXml } from "../machine/machine-xml.ts";
import { powerOff, powerOn } from "../machine/power.ts";
import type { FoundMachine } from "../machine/read-machine.ts";
import { removeMachine, removeVolumes } from "../machine/remove-machine.ts";
import type { MachineMark } from "../mark.ts";
import { consoleVolume } from "../names.ts";
import { sourceOf, volumePath, volumesIn, type OpenPool } from "../pool/open-pool.ts";
import { copyImage, copyVolume, type Road } from "./copy.ts";
import { cannotFollow, machineGone, nameTaken, twinThere } from "./errors.ts";
import { againstPlace, poolThere, volumesOf, type OwnVolume } from "./layout.ts";

/** A machine, the host it leaves and the host it goes to. */
export interface MoveWant {
  cluster: string;
  node: string;
  from: string;
  to: string;
  disksGiB: number;
}

/** Both ends of a move, as they are. */
export interface MoveHave {
  /** Absent: it is gone from there. */
  old?: MachineHave | undefined;
  /** Absent: nothing of it is there yet. */
  copy?: MachineHave | undefined;
}

const usualMsPerGiB = 20_000;
/** Drained, shut down, started and waited for. */
const usualRestartMs = 90_000;

export const usualMoveMs = ({ disksGiB }: { disksGiB: number }): number =>
  usualRestartMs + Math.round(disksGiB * usualMsPerGiB);

/**
 * A machine moves to another host switched off, and its disks with it. Until the mark of the old one says where it has gone, the
 * old one is the machine of its node and the copy is only half of one; from then on it is the other way round. Neither is started
 * while it is not, so that never two of them run; a run that was cut goes on from what these marks say.
 */
export const libvirtMove = ({
  registry,
  gates,
}: {
  registry: HostRegistry;
  gates?: RollingGates | undefined;
}) =>
  defineResource<MoveWant, MoveHave>({
    kind: "libvirt/move",
    read: (ctx, want) => locate(ctx, registry, want),
    compare(want, { old, copy }) {
      if (!old) return same;
      return {
        same: false,
        action: "update",
        consequence: isToRun({ old, copy }) ? "reboot" : "hot",
        fields: [{ field: "host", from: want.from, to: want.to }],
      };
    },
    create: (_ctx, want) => Promise.reject(machineGone(want)),
    async update(ctx, want) {
      const before = await demandOld(ctx, registry, want);
      const work = async (): Promise<void> => bringOver(ctx, registry, want);
      // One that is off and is to stay so takes nothing from its cluster.
      if (!isToRun(before)) await work();
      else await rollingRestart(ctx, { ...want, drains: true, isAway: !before.old.isRunning }, gates, work);
      return leave(ctx, registry, want);
    },
    remove: () => Promise.resolve(),
    out: ({ old, copy }) => ({ host: (copy ?? old)?.host }),
  });

/** Undefined: it is at neither end. */
async function locate(
  ctx: ReadContext,
  registry: HostRegistry,
  { cluster, node, from, to }: MoveWant,
): Promise<MoveHave | undefined> {
  const lookOn = async (host: string): Promise<MachineHave | undefined> =>
    findMachine(ctx, await registry.client(host), { host, cluster, node }, `move machine ${node}`);
  const [old, copy] = await Promise.all([lookOn(from), lookOn(to)]);
  return old || copy ? { old, copy } : undefined;
}

/** The machine ran, or would if no run had been cut. */
const isToRun = ({ old, copy }: MoveHave): boolean =>
  old?.isRunning === true || copy?.isRunning === true || copy?.mark.arriving?.wasRunning === true;

async function demandOld(
  ctx: StepContext,
  registry: HostRegistry,
  want: MoveWant,
): Promise<MoveHave & { old: MachineHave }> {
  const { old, copy } = (await locate(ctx, registry, want)) ?? {};
  if (!old) throw machineGone(want);
  if (copy && copy.mark.arriving?.from !== want.from && old.mark.movedTo !== want.to) throw twinThere(want);
  return { old, copy };
}

/** From wherever it is to "the copy is the machine of its node, and runs if the old one did". */
async function bringOver(ctx: StepContext, registry: HostRegistry, want: MoveWant): Promise<void> {
  // It may have waited for long.
  const { old, copy } = await demandOld(ctx, registry, want);
  const to = await registry.client(want.to);
  if (old.mark.movedTo === want.to && copy) {
    if (copy.mark.arriving?.wasRunning) await powerOn(ctx, to, copy.domain);
    return;
  }
  const from = await registry.client(want.from);
  const mark: MachineMark = {
    ...old.mark,
    arriving: {
      from: want.from,
      wasRunning: old.isRunning || copy?.mark.arriving?.wasRunning === true,
      startedWithHost: old.startsWithHost || copy?.mark.arriving?.startedWithHost === true,
    },
  };
  const crossing: Crossing = { ctx, registry, want, from, to, old, mark };
  await clearGround(crossing, copy);
  let started: Domain | undefined;
  try {
    await from.setStartsWithHost(old.domain, false, ctx.signal);
    if (old.isRunning) await powerOff(ctx, from, old.domain);
    const domain = await to.defineDomain(machineXml(await copyAll(crossing)), ctx.signal);
    await from.defineDomain(machineXml(asIs(old.defined, { ...old.mark, movedTo: want.to })), ctx.signal);
    if (!mark.arriving?.wasRunning) return;
    started = domain;
    await powerOn(ctx, to, domain);
  } catch (thrown) {
    if (thrown instanceof SlipwayError) await goBack(crossing, started);
    throw thrown;
  }
}

interface Crossing {
  ctx: StepContext;
  registry: HostRegistry;
  want: MoveWant;
  from: LibvirtClient;
  to: LibvirtClient;
  old: MachineHave;
  /** Of the copy. */
  mark: MachineMark;
}

const asIs = (defined: FoundMachine, mark: MachineMark): MachineXml => ({
  ...defined,
  mark,
  machine: defined.machine as MachineKind,
});

/**
 * From here on the mark of the copy answers for all volumes named after it there. What an earlier run has copied is not trusted:
 * the machine may have run since.
 */
async function clearGround(crossing: Crossing, copy: MachineHave | undefined): Promise<void> {
  const { ctx, want, to, old, mark } = crossing;
  const places = await placesOn(to, ctx.signal);
  if (!copy) await demandFreeNames(crossing, places);
  await to.defineDomain(
    machineXml({
      ...asIs(old.defined, mark),
      ...{ name: copy?.domain.name ?? old.domain.name, pinned: old.defined.machine },
      title: `${want.node} of Kubernetes cluster ${want.cluster}, on its way from ${want.from}`,
      ...{ consoleLog: undefined, disks: [], seed: undefined, nics: [] },
    }),
    ctx.signal,
  );
  if (copy) await removeVolumes(ctx, to, { ...copy, places, losesData: true });
}

async function demandFreeNames(crossing: Crossing, places: Record<string, OpenPool>): Promise<void> {
  const { ctx, want, to } = crossing;
  for (const { own, pool } of (await placed(crossing, places)).volumes)
    if ((await volumesIn(to, places[pool], ctx.signal)).has(own.volume.name))
      throw nameTaken({ ...want, volume: own.volume.name, pool });
}

interface Placed {
  own: OwnVolume;
  pool: string;
  place: OpenPool;
}

/** Each volume with the place it has there. */
async function placed(
  { ctx, registry, want, from, old }: Crossing,
  places: Record<string, OpenPool>,
): Promise<{ volumes: Placed[]; placeOf(own: OwnVolume): Placed }> {
  const [here, there] = [registry.host(want.from), registry.host(want.to)];
  const { volumes, strange } = await volumesOf(ctx, from, old);
  if (strange.length > 0)
    throw cannotFollow({ ...want, reason: `its disks are not its own: ${strange.join(", ")}` });
  const placeOf = (own: OwnVolume): Placed => {
    const pool = poolThere(own.volume.pool, here, there);
    const place = places[pool];
    const why = againstPlace(own, pool, place);
    if (!place || why !== undefined) throw cannotFollow({ ...want, reason: `${want.to} ${why}` });
    return { own, pool, place };
  };
  return { volumes: volumes.map(placeOf), placeOf };
}

/** Copies the disks of a machine that is off, and says what it is there. */
async function copyAll(crossing: Crossing): Promise<MachineXml> {
  const { ctx, want, from, to, old, mark } = crossing;
  const places = await placesOn(to, ctx.signal);
  const { volumes, placeOf } = await placed(crossing, places);
  const totalBytes = volumes.reduce((sum, { own }) => sum + own.bytes, 0);
  let done = 0;
  const heard = (bytes: number): void =>
    ctx.progress(Math.min(totalBytes, (done += bytes)), totalBytes, "bytes");
  const road: Road = { ctx, from, to, host: want.to, heard };
  for (const { own, place } of volumes) {
    const image = own.base && placeOf(own.base).place;
    if (own.base && image) await copyImage({ ...road, heard: () => undefined }, own.base, image);
    await copyVolume(road, own, place, own.base && image && volumePath(image, own.base.volume.name));
  }
  // It came as plain bytes, and libvirt looks at what they are only when it reads its pool anew.
  for (const { pool } of new Set(volumes.map(({ place }) => place))) await to.refreshPool(pool, ctx.signal);
  const there = ({ source }: { source: FoundMachine["disks"][number]["source"] }) => {
    const found = volumes.find(({ own }) => own.found.path === pathOf(source));
    if (!found) throw cannotFollow({ ...want, reason: `${pathOf(source)} has not come along` });
    return { found, source: sourceOf(found.place, found.own.volume.name) };
  };
  const { defined } = old;
  const system = defined.disks[0] && there(defined.disks[0]).found;
  if (system)
    await makeConsoleLog({ ctx, client: to, places }, { ...want, host: want.to, pool: system.pool });
  return {
    ...asIs(defined, mark),
    // As for a new machine: the other QEMU may not know this version of its board.
    pinned: defined.machine,
    consoleLog:
      system && !system.place.isBlock
        ? volumePath(system.place, consoleVolume(want.cluster, want.node))
        : undefined,
    disks: defined.disks.map((disk) => ({ ...disk, source: there(disk).source })),
    seed: defined.seed && { ...defined.seed, source: there(defined.seed).source },
  };
}

/**
 * Better a machine that runs where it was than one that is off. From a copy that was `started` there is no way back, unless it
 * is known to be off: what it has told others since then the old one does not know.
 */
async function goBack(
  { ctx, want, from, to, old, mark }: Crossing,
  started: Domain | undefined,
): Promise<void> {
  try {
    if (started && (await to.domainInfo(started, ctx.signal)).state !== "off") return;
    await from.defineDomain(machineXml(asIs(old.defined, old.mark)), ctx.signal);
    await from.setStartsWithHost(old.domain, mark.arriving?.startedWithHost === true, ctx.signal);
    if (mark.arriving?.wasRunning) await powerOn(ctx, from, old.domain);
    ctx.log("warn", `${want.node} is on ${want.from} again, as it was`);
    const key = { host: want.to, cluster: want.cluster, node: want.node };
    const found = await findMachine(ctx, to, key, `remove the copy of ${want.node}`);
    if (found) await removeMachine(ctx, to, { ...found, losesData: true });
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    ctx.log("error", `${want.node} waits for the next run of the same command: ${thrown.why}`);
  }
}

/** The copy is proven: it loses what says that it is one, and the old one goes with all it has. */
async function leave(ctx: StepContext, registry: HostRegistry, want: MoveWant): Promise<MoveHave> {
  const { old, copy } = (await locate(ctx, registry, want)) ?? {};
  if (!copy || (old && old.mark.movedTo !== want.to)) throw machineGone(want);
  const { arriving, ...mark } = copy.mark;
  if (arriving) {
    const to = await registry.client(want.to);
    await to.setStartsWithHost(copy.domain, arriving.startedWithHost, ctx.signal);
    await to.defineDomain(machineXml(asIs(copy.defined, mark)), ctx.signal);
  }
  if (old) await removeMachine(ctx, await registry.client(want.from), { ...old, losesData: true });
  return { copy };
}
