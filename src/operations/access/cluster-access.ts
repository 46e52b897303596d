import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import path from "node:path";
import { SlipwayError } from "../../errors/index.ts";
import { connectProxy, type Target } from "../../lib/index.ts";
import type { AccessFile } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { noAccessYet, noKubernetesAccess, proxyPortTaken } from "./errors.ts";
import { assemble } from "../planning/assemble.ts";

export interface AccessRequest {
  cluster: Cluster;
  /** Where the files may lie: a folder that only this user and this machine see. */
  scratch: string;
  /** The proxy's port; any free one unless it is given. */
  port?: number | undefined;
  /** A jump host that does not lead on, each time a program has asked for it. */
  onTrouble(error: SlipwayError): void;
}

/** What a program of the user's own needs to be let in. */
export interface ProgramAccess {
  access: AccessFile;
  /** Where the access file lies. */
  file: string;
  env: Record<string, string>;
}

/** A way to a cluster for other programs, as long as it is held open. */
export interface ClusterAccess {
  folder: string;
  /** Where the proxy listens; undefined where the cluster is reached directly. */
  proxy?: string | undefined;
  /** Programs that speak to it, by name. */
  programs: Record<string, ProgramAccess>;
  /** Goes through the jump hosts once; throws when they cannot be passed. Whether the cluster is up is not asked. */
  tryRoute(): Promise<void>;
  /** The files go too. */
  close(): Promise<void>;
}

/**
 * Writes access files for kubectl and the distribution's own program, and where the cluster lies behind other hosts, holds a
 * proxy that leads through them. The programs still speak to the nodes by their own addresses, so that certificates fit.
 */
export async function openClusterAccess(request: AccessRequest, world: World): Promise<ClusterAccess> {
  const { cluster, scratch, port, onTrouble } = request;
  const { distribution, factsOf } = assemble(world, { hosts: [], clusters: [cluster] });
  const { accessFiles, answersAt, kubernetes } = factsOf(cluster);
  if (!kubernetes) throw noKubernetesAccess(cluster.name);
  const controlPlanes = cluster.nodes.filter((node) => node.role === "control-plane");
  const endpoints = await Promise.all(controlPlanes.map((node) => world.addressOf(node.address)));
  const texts = await Promise.all(
    accessFiles.map(async (access) => ({
      access,
      text: await (isForKubectl(access)
        ? distribution.kubeconfig(cluster)
        : distribution.accessFile?.(cluster, access.name, endpoints)),
    })),
  );
  if (texts.some(({ access, text }) => isForKubectl(access) && text === undefined))
    throw noAccessYet(cluster.name);
  const dial = world.dialFor(cluster.name);
  const way =
    cluster.network.jump &&
    (await connectProxy({
      dial,
      allows: targetsOf(cluster, endpoints, accessFiles),
      port,
      onTrouble: (_to, thrown) => {
        if (thrown instanceof SlipwayError) onTrouble(thrown);
      },
    }).catch((thrown: unknown) => {
      throw proxyPortTaken(port ?? 0, thrown);
    }));
  const proxy = way && `http://127.0.0.1:${way.port}`;
  // A folder that no other user may enter.
  const folder = await mkdtemp(path.join(scratch, `slipway-${cluster.name}-`));
  const files = texts.flatMap(({ access, text }) =>
    text === undefined ? [] : [{ access, text, file: path.join(folder, access.name) }],
  );
  for (const { access, text, file } of files) {
    const isThroughProxy = proxy !== undefined && isForKubectl(access);
    await writeFile(file, isThroughProxy ? throughProxy(text, proxy) : text, { mode: 0o600 });
  }
  const kubeconfig = files.find(({ access }) => isForKubectl(access));
  const envOf = (access: AccessFile, file: string): Record<string, string> => ({
    [access.variable]: file,
    ...(kubeconfig && { [kubeconfig.access.variable]: kubeconfig.file }),
    ...(proxy !== undefined && !isForKubectl(access) && proxyOnly(proxy)),
  });
  return {
    folder,
    proxy,
    programs: Object.fromEntries(
      files.map(({ access, file }) => [access.program, { access, file, env: envOf(access, file) }]),
    ),
    async tryRoute() {
      const [first = ""] = endpoints;
      const socket = await dial({ host: first, port: answersAt }, world.stop).catch((thrown: unknown) => {
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

/** It takes a proxy from its file; others from their environment. */
const isForKubectl = ({ program }: AccessFile): boolean => program === "kubectl";

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

function targetsOf(
  cluster: Cluster,
  endpoints: string[],
  accessFiles: AccessFile[],
): (to: Target) => boolean {
  const { hostname, port } = new URL(cluster.endpoint);
  const bare = hostname.replace(/^\[|\]$/g, "");
  const apiPort = Number(port || 443);
  const ports = new Set([apiPort, ...accessFiles.map((access) => access.port)]);
  const nodes = new Set([...cluster.nodes.map((node) => node.address), ...endpoints, cluster.network.vip]);
  return (to) => {
    if (to.host === bare && to.port === apiPort) return true;
    return nodes.has(to.host) && ports.has(to.port);
  };
}
