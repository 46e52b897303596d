import { readFile } from "node:fs/promises";
import https from "node:https";
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

/** What a bystander got when it asked. */
export interface Answer {
  at: number;
  who: string;
  node: string;
  isAnswered: boolean;
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
  try {
    const raw = await dial({ host, port: 6443 }, never);
    const socket = tls.connect({ socket: raw, host, ...identity });
    return await new Promise<boolean>((resolve) => {
      socket.once("error", () => resolve(false));
      socket.once("close", () => resolve(false));
      const request = https.request(
        { createConnection: () => socket, host, path: "/api/v1/nodes", agent: false },
        (response) => {
          resolve(response.statusCode === 200);
          response.destroy();
          socket.destroy();
        },
      );
      request.once("error", () => resolve(false));
      request.end();
    });
  } catch {
    return false;
  }
}

/** Asks again and again, until it is stopped; `clients` may grow meanwhile. */
export function standBy(
  site: RehearsalSite,
  clients: Map<string, Bystander>,
  nodes: { name: string; host: string; isServer: boolean }[],
  what: "talos" | "kube",
  everyMs: number,
): { answers: Answer[]; stop(): Promise<void> } {
  const { clock } = site.rehearsal.time;
  const stop = new AbortController();
  const answers: Answer[] = [];
  const asked = nodes.filter(({ isServer }) => what === "talos" || isServer);
  const watch = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      for (const [who, files] of clients)
        for (const { name, host } of asked) {
          const at = clock.now();
          const ask = what === "talos" ? asksTalos : asksKube;
          const isAnswered = await ask(site, host, files[what]);
          // What changed while it asked may be told either way.
          if (clock.now() - at < 50) answers.push({ at, who, node: name, isAnswered });
        }
      await clock.sleep(everyMs, stop.signal).catch(() => undefined);
    }
  };
  const watching = watch();
  return {
    answers,
    async stop() {
      stop.abort(new Error("seen enough"));
      await watching;
    },
  };
}

/** When the step of a node began and ended; both are infinite where there was none. */
export function stepTimes(
  events: { at: number; event: EventBody }[],
  step: string,
): { began: number; ended: number } {
  const at = (type: string): number =>
    events.find(({ event }) => event.type === type && "step" in event && event.step === step)?.at ??
    Number.POSITIVE_INFINITY;
  return { began: at("started"), ended: at("finished") };
}
