import type { ServiceRun } from "../linux/index.ts";
import { checkHost } from "./check-host.ts";
import type { K3sCluster } from "./cluster.ts";
import { Fatal } from "./journal.ts";
import type { Life } from "./life.ts";
import { ownPassword } from "./supervisor/node-password.ts";
import { paths } from "./paths.ts";
import { runNode } from "./run-node.ts";
import { ask, openAccess, RefusedError, type Access } from "./supervisor/client.ts";
import { tokenOf } from "./take-place.ts";
import { fullVersion } from "./version.ts";

/** An agent from its start to its end: it asks until a server takes it in, then it is a node. */
export async function runAgent(life: Life, run: ServiceRun): Promise<never> {
  const { journal, settings } = life;
  const token = tokenOf(life, "token");
  const server = settings.text("server");
  if (token === undefined) throw new Fatal("--token is required");
  if (server === undefined) throw new Fatal("--server is required");
  journal.info(`Starting k3s agent ${fullVersion(life.version)}`);
  checkHost(life);
  const access = await reachServer(life, server, token);
  const cluster = await beTakenIn(life, access);
  journal.info("k3s agent is up and running");
  run.ready();
  return runNode(life, cluster);
}

/** The server it was told, or one it has known since it was last taken in. */
async function reachServer(life: Life, server: string, token: string): Promise<Access> {
  const { host, journal, signal } = life;
  for (;;) {
    for (const url of new Set([server, ...knownServers(life)])) {
      try {
        return await openAccess(life, url, token, "node");
      } catch (error) {
        if (signal.aborted) throw error;
        // Only what the first one says is worth a line: the others are a way around it.
        if (url === server) journal.error(throughBalancer((error as Error).message));
      }
    }
    await host.clock.sleep(2_000, signal);
  }
}

const cut = "read tcp 127.0.0.1:55160->127.0.0.1:6444: read: connection reset by peer";

/** An agent talks to its own balancer, which cuts the line when no server answers. */
const throughBalancer = (message: string): string =>
  message.replace(
    /Get "https:\/\/[^/"]+([^"]*)": (dial tcp .*)?/s,
    (_all, path: string, dialled?: string) =>
      `Get "https://127.0.0.1:6444${path}": ${dialled === undefined ? "" : cut}`,
  );

function knownServers({ host }: Life): string[] {
  const text = host.files.read(paths.agentServers)?.toString("utf8");
  if (text === undefined) return [];
  const { ServerAddresses = [] } = JSON.parse(text) as { ServerAddresses?: string[] };
  return ServerAddresses.map((address) => `https://${address}`);
}

async function beTakenIn(life: Life, access: Access): Promise<K3sCluster> {
  const { host, journal, signal } = life;
  for (;;) {
    try {
      return await introduce(life, access);
    } catch (error) {
      if (signal.aborted) throw error;
      journal.info(
        `Waiting to retrieve agent configuration; server is not ready: ${(error as Error).message}`,
      );
    }
    await host.clock.sleep(5_000, signal);
  }
}

async function introduce(life: Life, access: Access): Promise<K3sCluster> {
  const { host, clusters, node, address, signal } = life;
  const config = await ask(host, access, "/v1-k3s/config", signal).catch((error: unknown) => {
    throw new Error(`failed to retrieve configuration from server: ${(error as Error).message}`);
  });
  const certificate = "/var/lib/rancher/k3s/agent/serving-kubelet.crt";
  const headers = {
    "k3s-Node-Name": node,
    "k3s-Node-Password": ownPassword(host),
    "k3s-Node-IP": address,
  };
  await ask(host, access, "/v1-k3s/serving-kubelet.crt", signal, headers).catch((error: unknown) => {
    throw new Error(`${certificate}: ${whyRejected(error, access)}`);
  });
  for (const name of ["server-ca.crt", "client-ca.crt", "client-kubelet.crt"])
    host.files.write(`${paths.agent}/${name}`, await ask(host, access, `/v1-k3s/${name}`, signal, headers));
  const servers = JSON.parse(await ask(host, access, "/v1-k3s/apiservers", signal)) as string[];
  host.files.write(
    paths.agentServers,
    JSON.stringify({ ServerURL: access.url.origin, ServerAddresses: servers }),
    0o600,
  );
  const { ClusterID } = JSON.parse(config) as { ClusterID: string };
  const cluster = clusters.find(ClusterID, host.clock);
  if (cluster === undefined) throw new Error("failed to retrieve configuration from server: EOF");
  return cluster;
}

function whyRejected(error: unknown, access: Access): string {
  if (!(error instanceof RefusedError)) return (error as Error).message;
  if (error.code === 403)
    return `Node password rejected, duplicate hostname or contents of '${paths.nodePassword}' may not match server node-passwd entry, try enabling a unique node name with the --with-node-id flag`;
  const words: Record<number, string> = {
    400: "Bad Request",
    401: "Unauthorized",
    503: "Service Unavailable",
  };
  return `${access.url.origin}/v1-k3s/serving-kubelet.crt: ${error.code} ${words[error.code] ?? ""}`;
}
