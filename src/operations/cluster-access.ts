import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import path from "node:path";
import { talosconfig } from "../distros/talos/index.ts";
import { SlipwayError } from "../errors/index.ts";
import { connectProxy, type Target } from "../lib/index.ts";
import { secretStore } from "../secrets/index.ts";
import { isLinux, isTalos, type Cluster, type TalosCluster } from "../spec/index.ts";
import type { World } from "../world.ts";
import { noAccessYet, noKubernetesAccess, proxyPortTaken } from "./access-errors.ts";
import { assemble } from "./assemble.ts";

export interface AccessRequest {
  cluster: Cluster;
  /** Where the files may lie: a folder that only this user and this machine see. */
  scratch: string;
  /** The proxy's port; any free one unless it is given. */
  port?: number | undefined;
  /** A jump host that does not lead on, each time a program has asked for it. */
  onTrouble(error: SlipwayError): void;
}

/** A way to a cluster for other programs, as long as it is held open. */
export interface ClusterAccess {
  folder: string;
  /** Where the proxy listens; undefined where the cluster is reached directly. */
  proxy?: string;
  /** What kubectl and talosctl need in their environment. */
  kubectl: Record<string, string>;
  /** Absent where the nodes run no Talos. */
  talosctl?: Record<string, string>;
  /** Goes through the jump hosts once; throws when they cannot be passed. Whether the cluster is up is not asked. */
  tryWay(): Promise<void>;
  /** The files go too. */
  close(): Promise<void>;
}

const talosPort = 50_000;
const sshPort = 22;

/**
 * Writes context files for kubectl and talosctl, and where the cluster lies behind other hosts, holds a proxy that leads
 * through them. Both programs still speak to the nodes by their own addresses, so that certificates fit as they are.
 */
export async function openClusterAccess(request: AccessRequest, world: World): Promise<ClusterAccess> {
  const { cluster, scratch, port, onTrouble } = request;
  if (isLinux(cluster)) throw noKubernetesAccess(cluster.name);
  const controlPlanes = cluster.nodes.filter((node) => node.role === "control-plane");
  const endpoints = await Promise.all(controlPlanes.map((node) => world.addressOf(node.address)));
  const kube = await assemble(world).distribution.kubeconfig(cluster);
  const talos = isTalos(cluster) ? await talosAccess(cluster, endpoints, world) : undefined;
  if (kube === undefined) throw noAccessYet(cluster.name);
  const dial = world.dialFor(cluster.name);
  const way =
    cluster.network.jump &&
    (await connectProxy({
      dial,
      allows: targetsOf(cluster, endpoints),
      port,
      onTrouble: (_to, thrown) => {
        if (thrown instanceof SlipwayError) onTrouble(thrown);
      },
    }).catch((thrown: unknown) => {
      throw proxyPortTaken(port ?? 0, thrown);
    }));
  const proxy = way && `http://127.0.0.1:${way.port}`;
  // A folder that nobody else may enter.
  const folder = await mkdtemp(path.join(scratch, `slipway-${cluster.name}-`));
  const kubeFile = path.join(folder, "kubeconfig");
  const talosFile = path.join(folder, "talosconfig");
  await writeFile(kubeFile, proxy === undefined ? kube : throughProxy(kube, proxy), { mode: 0o600 });
  if (talos !== undefined) await writeFile(talosFile, talos, { mode: 0o600 });
  return {
    folder,
    ...(proxy !== undefined && { proxy }),
    kubectl: { KUBECONFIG: kubeFile },
    ...(talos !== undefined && {
      talosctl: {
        TALOSCONFIG: talosFile,
        KUBECONFIG: kubeFile,
        ...(proxy !== undefined && proxyOnly(proxy)),
      },
    }),
    async tryWay() {
      const [first = ""] = endpoints;
      const listening = talos === undefined ? sshPort : talosPort;
      const socket = await dial({ host: first, port: listening }, world.stop).catch((thrown: unknown) => {
        if (thrown instanceof SlipwayError) throw thrown;
        return undefined;
      });
      socket?.destroy();
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
      await way?.close();
    },
  };
}

async function talosAccess(
  { name }: TalosCluster,
  endpoints: string[],
  { folder, secretFiles: files, wall: clock, random }: World,
): Promise<string | undefined> {
  const bundle = await secretStore({ folder, files, clock, random }).find(name);
  const fields = { cluster: name, endpoints, nodes: endpoints.slice(0, 1) };
  return bundle && talosconfig(fields, bundle, { clock, random });
}

/** The user's own exceptions would lead around it: internal addresses are what they usually name. */
const proxyOnly = (proxy: string): Record<string, string> => ({
  HTTPS_PROXY: proxy,
  https_proxy: proxy,
  NO_PROXY: "",
  no_proxy: "",
});

/** kubectl takes a proxy from its file, before what the environment says. */
const throughProxy = (text: string, proxy: string): string =>
  text.replace(/^(\s*)server: .*$/m, (line, indent: string) => `${line}\n${indent}proxy-url: ${proxy}`);

function targetsOf(cluster: Cluster, endpoints: string[]): (to: Target) => boolean {
  const { hostname, port } = new URL(cluster.endpoint);
  const bare = hostname.replace(/^\[|\]$/g, "");
  const apiPort = Number(port || 443);
  const nodes = new Set([...cluster.nodes.map((node) => node.address), ...endpoints, cluster.network.vip]);
  return (to) => {
    if (to.host === bare && to.port === apiPort) return true;
    return nodes.has(to.host) && [talosPort, apiPort].includes(to.port);
  };
}
