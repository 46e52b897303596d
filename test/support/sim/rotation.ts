import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import tls from "node:tls";
import { readKubeconfig } from "../../../src/clients/kube/index.ts";
import { connectTalos } from "../../../src/clients/talos/index.ts";
import { readTalosconfig } from "../../../src/distros/talos/index.ts";
import { rotateCa, rotatePart, type RunReport } from "../../../src/operations/index.ts";
import type { EventBody, RenewablePart, Tell } from "../../../src/plan/index.ts";
import type { Cluster, Fleet } from "../../../src/spec/index.ts";
import type { World } from "../../../src/world/index.ts";
import { probeReach, type ReachReport } from "./reach-prober.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

/** Files that somebody took at some time, and goes on using. */
export interface Bystander {
  talos: Identity;
  kube: Identity;
}

export interface Identity {
  ca: string;
  cert: string;
  key: string;
}

const never = new AbortController().signal;

/** The access files of `lab` as they are now. */
export const takeFiles = async (site: RehearsalSite): Promise<Bystander> => ({
  talos: readTalosconfig(await textIn(site, "talosconfig"), "talosconfig"),
  kube: await takeKubeconfig(site),
});

/** Of a cluster that has no other. */
export async function takeKubeconfig(site: RehearsalSite): Promise<Identity> {
  const { ca, cert = "", key = "" } = readKubeconfig(await textIn(site, "kubeconfig"));
  return { ca, cert, key };
}

const textIn = (site: RehearsalSite, name: string): Promise<string> =>
  readFile(path.join(site.folder, "lab", name), "utf8");

/** The cluster `lab` rotated, with the time of each event. */
export async function rotate(
  site: RehearsalSite,
  fleet: Fleet,
  ca: string,
  finishes: boolean,
  tell: Tell = () => {},
  stop: AbortSignal = never,
): Promise<Rotated> {
  return watched(site, fleet, tell, stop, (request, world) => rotateCa({ ...request, ca, finishes }, world));
}

/** The same of what is made anew in one go. */
export const renew = (
  site: RehearsalSite,
  fleet: Fleet,
  part: RenewablePart,
  tell: Tell = () => {},
  stop: AbortSignal = never,
): Promise<Rotated> =>
  watched(site, fleet, tell, stop, (request, world) => rotatePart({ ...request, part }, world));

interface Rotated {
  runReport: RunReport;
  events: { at: number; event: EventBody }[];
}

async function watched(
  site: RehearsalSite,
  fleet: Fleet,
  tell: Tell,
  stop: AbortSignal,
  work: (
    request: { fleet: Fleet; cluster: Cluster; confirm(): Promise<boolean> },
    world: World,
  ) => Promise<RunReport>,
): Promise<Rotated> {
  const { clock } = site.rehearsal.time;
  const events: { at: number; event: EventBody }[] = [];
  const world = site.rehearsal.world(stop, (event) => {
    events.push({ at: clock.now(), event });
    tell(event);
  });
  const [cluster] = fleet.clusters;
  if (!cluster) throw new Error("the fleet has no cluster");
  return { runReport: await work({ fleet, cluster, confirm: () => Promise.resolve(true) }, world), events };
}

/** Whether the Talos API of a node lets these in, by a connection of their own. */
export async function asksTalos(
  site: RehearsalSite,
  address: string,
  identity: Identity,
  signal: AbortSignal = never,
): Promise<boolean> {
  const { clock } = site.rehearsal.time;
  const dial = site.rehearsal.world(never, () => {}).dialFor("lab");
  const client = connectTalos({ address, dial, clock, identity });
  try {
    await client.version({ signal });
    return true;
  } catch {
    return false;
  } finally {
    client.close();
  }
}

/** Whether the Kubernetes API on a node trusts these and is trusted by them. */
export async function asksKube(
  site: RehearsalSite,
  host: string,
  identity: Identity,
  signal: AbortSignal = never,
): Promise<boolean> {
  const dial = site.rehearsal.world(never, () => {}).dialFor("lab");
  const raw = await dial({ host, port: 6443 }, signal).catch(() => undefined);
  if (!raw) return false;
  const socket = tls.connect({ socket: raw, host, ...identity });
  try {
    socket.write(`GET /api/v1/nodes HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const [said] = (await once(socket, "data", { signal })) as [Buffer];
    return said.toString().startsWith("HTTP/1.1 200 ");
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Of a cluster without a Talos API the second is missing. */
export interface WatchedFiles {
  kube: Identity;
  talos?: Identity;
}

const everyMs = 200;

/**
 * Somebody who asks on and on while a CA is exchanged, five times a simulated second, by a new connection each time: the
 * Kubernetes API at these addresses, and the Talos API. `files` may change while he does.
 */
export const watchRotation = (
  site: RehearsalSite,
  files: WatchedFiles,
  at: { kube?: Record<string, string>; talos?: Record<string, string> },
): ReachReport => {
  const demand = async (isIn: Promise<boolean>): Promise<void> => {
    if (!(await isIn)) throw new Error("not let in");
  };
  const kube = Object.entries(at.kube ?? {}).map(([name, host]) => ({
    ...{ name, everyMs },
    ask: (signal: AbortSignal) => demand(asksKube(site, host, files.kube, signal)),
  }));
  const talos = Object.entries(at.talos ?? {}).map(([name, host]) => ({
    ...{ name, everyMs },
    ask: (signal: AbortSignal) => demand(asksTalos(site, host, files.talos ?? files.kube, signal)),
  }));
  return probeReach([...kube, ...talos], site.rehearsal.time.clock);
};
