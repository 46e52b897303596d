import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import tls from "node:tls";
import { readKubeconfig } from "../../../src/clients/kube/index.ts";
import { connectTalos } from "../../../src/clients/talos/index.ts";
import { readTalosconfig } from "../../../src/distros/talos/index.ts";
import { rotateCa, type RunReport } from "../../../src/operations/index.ts";
import type { EventBody, Tell } from "../../../src/plan/index.ts";
import type { Fleet } from "../../../src/spec/index.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

/** Files that somebody took at some time, and goes on using. */
export interface Bystander {
  talos: Identity;
  kube: Identity;
}

interface Identity {
  ca: string;
  cert: string;
  key: string;
}

const never = new AbortController().signal;

/** The access files of `lab` as they are now. */
export async function takeFiles(site: RehearsalSite): Promise<Bystander> {
  const text = (name: string): Promise<string> => readFile(path.join(site.folder, "lab", name), "utf8");
  const kube = readKubeconfig(await text("kubeconfig"));
  return {
    talos: readTalosconfig(await text("talosconfig"), "talosconfig"),
    kube: { ca: kube.ca, cert: kube.cert ?? "", key: kube.key ?? "" },
  };
}

/** The cluster `lab` rotated, with the time of each event. */
export async function rotate(
  site: RehearsalSite,
  fleet: Fleet,
  ca: string,
  finishes: boolean,
  tell: Tell = () => {},
  stop: AbortSignal = never,
): Promise<{ runReport: RunReport; events: { at: number; event: EventBody }[] }> {
  const { clock } = site.rehearsal.time;
  const events: { at: number; event: EventBody }[] = [];
  const world = site.rehearsal.world(stop, (event) => {
    events.push({ at: clock.now(), event });
    tell(event);
  });
  const [cluster] = fleet.clusters;
  if (!cluster) throw new Error("the fleet has no cluster");
  const request = { fleet, cluster, ca, finishes, confirm: () => Promise.resolve(true) };
  return { runReport: await rotateCa(request, world), events };
}

/** Whether the Talos API of a node lets these in, by a connection of their own. */
export async function asksTalos(site: RehearsalSite, address: string, identity: Identity): Promise<boolean> {
  const { clock } = site.rehearsal.time;
  const dial = site.rehearsal.world(never, () => {}).dialFor("lab");
  const client = connectTalos({ address, dial, clock, identity });
  try {
    await client.version();
    return true;
  } catch {
    return false;
  } finally {
    client.close();
  }
}

/** Whether the Kubernetes API on a node trusts these and is trusted by them. */
export async function asksKube(site: RehearsalSite, host: string, identity: Identity): Promise<boolean> {
  const dial = site.rehearsal.world(never, () => {}).dialFor("lab");
  const raw = await dial({ host, port: 6443 }, never).catch(() => undefined);
  if (!raw) return false;
  const socket = tls.connect({ socket: raw, host, ...identity });
  try {
    socket.write(`GET /api/v1/nodes HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const [said] = (await once(socket, "data")) as [Buffer];
    return said.toString().startsWith("HTTP/1.1 200 ");
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
