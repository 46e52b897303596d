import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import tls from "node:tls";
import { readKubeconfig } from "../../../src/clients/kube/index.ts";
import type { Dial } from "../../../src/lib/index.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

const never = new AbortController().signal;

/** At a host, until the signal says that it has had its time; throws where it is not answered as it should be. */
export type AskApi = (host: string) => (signal: AbortSignal) => Promise<void>;

/** Asks the Kubernetes API of a cluster whether it is ready, at any address and by a new connection each time. */
export async function askApi(site: RehearsalSite, cluster: string): Promise<AskApi> {
  const dial = site.rehearsal.world(never, () => {}).dialFor(cluster);
  const text = await readFile(path.join(site.folder, cluster, "kubeconfig"), "utf8");
  return askApiBy(text, dial, "/readyz");
}

/** The same of any cluster, by a kubeconfig, and of any path. */
export function askApiBy(kubeconfig: string, dial: Dial, from: string): AskApi {
  const { ca, cert, key } = readKubeconfig(kubeconfig);
  const secureContext = tls.createSecureContext({ ca, cert, key });
  return (host) => async (signal) => {
    const socket = tls.connect({ socket: await dial({ host, port: 6443 }, signal), host, secureContext });
    const cut = (): void => void socket.destroy(new Error("no answer"));
    signal.addEventListener("abort", cut, { once: true });
    // A server on its way out may say nothing at all, not even that something went wrong.
    const closed = once(socket, "close").then(() => Promise.reject(new Error("closed without an answer")));
    closed.catch(() => undefined);
    try {
      socket.write(`GET ${from} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      const [said] = (await Promise.race([once(socket, "data"), closed])) as [Buffer];
      if (!said.toString().startsWith("HTTP/1.1 200 ")) throw new Error("not ready");
    } finally {
      signal.removeEventListener("abort", cut);
      socket.destroy();
    }
  };
}
