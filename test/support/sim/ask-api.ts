import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import tls from "node:tls";
import { readKubeconfig } from "../../../src/clients/kube/index.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

const never = new AbortController().signal;

/** Asks the Kubernetes API of a cluster whether it is ready, at any address and by a new connection each time; throws where it is not. */
export async function askApi(
  site: RehearsalSite,
  cluster: string,
): Promise<(host: string) => (signal: AbortSignal) => Promise<void>> {
  const dial = site.rehearsal.world(never, () => {}).dialFor(cluster);
  const text = await readFile(path.join(site.folder, cluster, "kubeconfig"), "utf8");
  const { ca, cert, key } = readKubeconfig(text);
  const secureContext = tls.createSecureContext({ ca, cert, key });
  return (host) => async (signal) => {
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
}
