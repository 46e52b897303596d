import { hasLifecycleService, type TalosClient } from "../../../clients/talos/index.ts";
import { installerImage } from "../../../images/index.ts";
import { rollingRestart, type RollingGates, type Seen, type StepContext } from "../../../plan/index.ts";
import { release, seeDoctor } from "../../kubernetes/index.ts";
import { handOverEtcd } from "../steps/members/forfeit-leadership.ts";
import type { TalosAccess } from "../talos-access.ts";
import { emptyForReboot } from "./cordon.ts";
import { controlPlanesFirst, fellBack, noSchematic, otherSystem } from "./errors.ts";
import { passGates } from "./gates.ts";
import { askKubeNodes, isBackIn, readSystem, sameSchematic, type NodeSystem } from "./node-system.ts";
import { compareVersions } from "./upgrade-path.ts";
import { isWanted, schematicOf, type SystemWant } from "./system-want.ts";

/** One node among those that get another system. */
interface Site {
  access: TalosAccess;
  ctx: StepContext;
  want: SystemWant;
}

/** As long as others allow: a machine with many disks starts slowly, and a system that fails needs a second start. */
const rebootWait = { probe: "grpc", deadlineMs: 30 * 60_000, everyMs: 1_000, usualMs: 90_000 };
const readyWait = { probe: "https", deadlineMs: 15 * 60_000, everyMs: 1_000, usualMs: 30_000 };
const installMs = 10 * 60_000;

/**
 * The system of one node is exchanged for another: nobody else is away but those whose turn it is as well, its pods have
 * left, it boots, and what runs then is compared with what should. A run that was cut in the middle goes on from what it finds.
 */
export async function rollSystem(site: Site, gates: RollingGates): Promise<NodeSystem> {
  const { access, ctx, want } = site;
  return rollingRestart(ctx, want, gates, async (others) => {
    await untilRunning(site, `${want.node} to answer`);
    const before = await readSystem(access, want);
    if (!isWanted(want, before)) {
      await passGates(access, ctx, want, others);
      await demandControlPlanesFirst(site);
      await exchangeSystem(site, before);
    }
    await untilBack(site);
    await letPodsIn(site);
    return readSystem(access, want);
  });
}

async function exchangeSystem(site: Site, before: NodeSystem): Promise<void> {
  const { access, ctx, want } = site;
  const installer = installerOf(want, before);
  const bootId = await asking(site, (node) => node.bootId());
  // Talos 1.13 and newer write the system first and reboot when they are told to; older ones do both in one call.
  const isWrittenFirst = hasLifecycleService(before.version);
  if (isWrittenFirst) await writeSystem(site, installer);
  await handOverEtcd(access, ctx, want, want.node);
  await emptyForReboot(access, ctx, want, `talos-${want.build.version}`);
  if (isWrittenFirst) await asking(site, (node) => node.reboot());
  else await asking(site, (node) => node.upgrade(installer, { timeoutMs: installMs, signal: ctx.signal }));
  await untilRunning(site, `${want.node} to reboot into Talos ${want.build.version}`, bootId);
  await demandSystem(site, before);
}

export const asking = <T>({ access, want }: Site, call: (node: TalosClient) => Promise<T>): Promise<T> =>
  access.using(want.cluster, want.address, call);

function installerOf(want: SystemWant, running: NodeSystem): string {
  const schematicId = schematicOf(want, running);
  if (schematicId === undefined) throw noSchematic(want);
  return installerImage({ ...want.build, schematicId });
}

async function writeSystem(site: Site, installer: string): Promise<void> {
  const { ctx, want } = site;
  await asking(site, (node) =>
    node.upgrade(installer, {
      reboots: false,
      timeoutMs: installMs,
      signal: ctx.signal,
      onProgress: (said) => ctx.log("debug", `installer on ${want.node}: ${said}`),
    }),
  );
}

/** It answers, has another boot behind it than the given one, and is through with starting. */
export async function untilRunning(site: Site, what: string, bootId?: string): Promise<void> {
  const { access, ctx, want } = site;
  await ctx.waitFor(
    { ...rebootWait, what, next: seeDoctor(want.cluster) },
    async (signal): Promise<Seen<true>> => {
      const probe = await access.probe(want.cluster, want.address, signal);
      if (probe.state === "unreachable") return { done: false, seen: probe.reason };
      return asking(site, async (node): Promise<Seen<true>> => {
        if (bootId !== undefined && (await node.bootId()) === bootId)
          return { done: false, seen: "it has not rebooted yet" };
        const { stage = "unknown" } = (await node.machineStatus()) ?? {};
        return stage === "running"
          ? { done: true, value: true }
          : { done: false, seen: `it answers, and is ${stage}` };
      });
    },
  );
}

/** A system that does not start ends in the one before it: only what runs tells whether the upgrade is done. */
async function demandSystem(site: Site, before: NodeSystem): Promise<void> {
  const { access, want } = site;
  const found = await readSystem(access, want);
  if (isWanted(want, found)) return;
  if (found.version === before.version && sameSchematic(found.schematic, before.schematic)) {
    await untilBack(site);
    await letPodsIn(site);
    throw fellBack({ ...want, from: textOf(found), to: textOf(wantedOf(want, before)) });
  }
  throw otherSystem({ ...want, found: textOf(found), wanted: textOf(wantedOf(want, before)) });
}

const wantedOf = (want: SystemWant, before: NodeSystem): NodeSystem => ({
  version: want.build.version,
  schematic: schematicOf(want, before),
});

const textOf = ({ version, schematic }: NodeSystem): string =>
  `Talos ${version}${schematic === undefined ? "" : ` (schematic ${schematic.slice(0, 12)})`}`;

export async function untilBack(site: Site): Promise<void> {
  const { access, ctx, want } = site;
  const { version } = await readSystem(access, want);
  const what = `Kubernetes to call ${want.node} Ready`;
  await ctx.waitFor({ ...readyWait, what, next: seeDoctor(want.cluster) }, async (): Promise<Seen<true>> => {
    const node = (await askKubeNodes(access, want)).get(want.node);
    return isBackIn(node, version)
      ? { done: true, value: true }
      : { done: false, seen: node ? "it is not Ready" : "it is not known there, or nobody answers" };
  });
}

export const letPodsIn = async ({ access, want }: Site): Promise<void> =>
  release(await access.kube(want.cluster, want.endpoint), want.node);

async function demandControlPlanesFirst({ access, want }: Site): Promise<void> {
  if (want.role === "control-plane") return;
  const versions = await Promise.all(
    want.controlPlanes.map(async ({ node, address }) => ({
      node,
      system: await readSystem(access, { ...want, node, address }),
    })),
  );
  const behind = versions.filter(({ system }) => compareVersions(system.version, want.build.version) < 0);
  if (behind.length > 0)
    throw controlPlanesFirst({ ...want, to: want.build.version, behind: behind.map(({ node }) => node) });
}
