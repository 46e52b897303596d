import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import tls from "node:tls";
import { readKubeconfig } from "../../../src/clients/kube/index.ts";
import { probeReach, type ReachReport } from "./reach-prober.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

export interface WatchedNode {
  name: string;
  host: string;
}

/** The cluster `lab` of a site: who is watched. */
export interface Watched {
  vip: string;
  controlPlanes: WatchedNode[];
  workers: WatchedNode[];
  /** How often the API is asked through the cluster's address; every 200 ms when left out. */
  vipEveryMs?: number;
}

const never = new AbortController().signal;

/** Asks the API through the cluster's address and on every node, by new connections each time, and knocks at the nodes. */
export async function watchCluster(
  site: RehearsalSite,
  { vip, controlPlanes, workers, vipEveryMs = 200 }: Watched,
): Promise<ReachReport> {
  const { clock } = site.rehearsal.time;
  const dial = site.rehearsal.world(never, () => {}).dialFor("lab");
  const text = await readFile(path.join(site.folder, "lab/kubeconfig"), "utf8");
  const { ca, cert, key } = readKubeconfig(text);
  const secureContext = tls.createSecureContext({ ca, cert, key });
  const api = (host: string) => async (signal: AbortSignal) => {
    const socket = tls.connect({ socket: await dial({ host, port: 6443 }, signal), host, secureContext });
    const cut = (): void => void socket.destroy(new Error("no answer"));
    signal.addEventListener("abort", cut, { once: true });
    try {
      socket.write(`GET /readyz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      const [said] = (await once(socket, "data")) as [Buffer];
      if (!said.toString().startsWith("HTTP/1.1 200 ")) throw new Error("not ready");
    } finally {
      signal.removeEventListener("abort", cut);
      socket.destroy();
    }
  };
  return probeReach(
    [
      { name: "VIP", everyMs: vipEveryMs, ask: api(vip) },
      ...controlPlanes.map(({ name, host }) => ({ name: `API on ${name}`, everyMs: 2_000, ask: api(host) })),
      ...[...controlPlanes, ...workers].map(({ name, host }) => ({
        name,
        everyMs: 2_000,
        ask: async (signal: AbortSignal) => (await dial({ host, port: 50_000 }, signal)).destroy(),
      })),
    ],
    clock,
  );
}
