import { connectKube, isNodeReady, type KubeNode } from "../../clients/kube/index.ts";
import { given, type Clock, type Dial } from "../../lib/index.ts";
import { startInformer, type Informer } from "../machinery/index.ts";
import type { SeenNode } from "../metrics/index.ts";

/** What the Kubernetes of a cluster says of its nodes. */
export type NodesSeen =
  | { state: "absent" }
  | { state: "unreachable"; why: string }
  | {
      state: "seen";
      ready: number;
      notReady: string[];
      versions: string[];
      systems: string[];
      nodes: SeenNode[];
    };

export interface NodeWatches {
  /** Begins to watch, or goes on with it; another kubeconfig begins anew. */
  follow(cluster: string, kubeconfig: string, dial: Dial): void;
  seen(cluster: string): NodesSeen;
  /** Resolves when it is known, one way or the other, or after a few seconds. */
  settled(cluster: string): Promise<void>;
  forget(cluster: string): void;
}

interface Watch {
  kubeconfig: string;
  informer: Informer<KubeNode>;
  end: AbortController;
  isSynced: boolean;
  trouble?: string | undefined;
}

const patienceMs = 5_000;
const controlPlaneLabel = "node-role.kubernetes.io/control-plane";

/** One watch for each cluster, whatever its size; `onChange` when the answer to "which nodes are Ready?" is another one. */
export function watchNodes({
  clock,
  signal,
  onChange,
}: {
  clock: Clock;
  signal: AbortSignal;
  onChange(cluster: string): void;
}): NodeWatches {
  const watches = new Map<string, Watch>();
  const told = new Map<string, string>();

  const seen = (cluster: string): NodesSeen => {
    const watch = watches.get(cluster);
    if (!watch) return { state: "absent" };
    if (watch.trouble !== undefined) return { state: "unreachable", why: watch.trouble };
    if (!watch.isSynced) return { state: "unreachable", why: "its API has not answered yet" };
    const nodes = watch.informer.list();
    const notReady = nodes.filter((node) => !isNodeReady(node)).map(({ metadata }) => metadata.name);
    const infos = nodes.map(({ status }) => status?.nodeInfo);
    return {
      state: "seen",
      ready: nodes.length - notReady.length,
      notReady: notReady.toSorted(),
      versions: unique(infos.map((info) => info?.kubeletVersion)),
      systems: unique(infos.map((info) => info?.osImage)),
      nodes: nodes.map(seenNode),
    };
  };

  /** Nodes report every few seconds; only another answer is news. */
  const look = (cluster: string): void => {
    const now = JSON.stringify(seen(cluster));
    if (told.get(cluster) === now) return;
    told.set(cluster, now);
    onChange(cluster);
  };

  const forget = (cluster: string): void => {
    watches.get(cluster)?.end.abort();
    watches.delete(cluster);
    told.delete(cluster);
  };

  return {
    seen,
    forget,
    async settled(cluster) {
      const watch = watches.get(cluster);
      if (watch && !watch.isSynced && watch.trouble === undefined)
        await Promise.race([watch.informer.synced, clock.sleep(patienceMs)]);
    },
    follow(cluster, kubeconfig, dial) {
      if (watches.get(cluster)?.kubeconfig === kubeconfig) return;
      forget(cluster);
      const end = new AbortController();
      const client = connectKube({ kubeconfig, dial, clock });
      end.signal.addEventListener("abort", () => client.close(), { once: true });
      const ending = AbortSignal.any([signal, end.signal]);
      signal.addEventListener("abort", () => client.close(), { once: true, signal: end.signal });
      const watch: Watch = {
        kubeconfig,
        end,
        isSynced: false,
        informer: startInformer<KubeNode>({
          client,
          query: { apiVersion: "v1", kind: "Node" },
          clock,
          signal: ending,
          trim: trimmed,
          onChange: () => watch.isSynced && look(cluster),
          onOpen() {
            watch.trouble = undefined;
            look(cluster);
          },
          onTrouble(why) {
            watch.trouble = why;
            look(cluster);
          },
        }),
      };
      watches.set(cluster, watch);
      void watch.informer.synced.then(() => {
        watch.isSynced = true;
        look(cluster);
      });
    },
  };
}

/** A node tells of its images and its last hundred events; of ten thousand nodes that is a gigabyte. */
const trimmed = ({ apiVersion, kind, metadata, status }: KubeNode): KubeNode => {
  const { name, uid, resourceVersion, labels = {} } = metadata;
  const conditions = status?.conditions?.filter(({ type }) => type === "Ready") ?? [];
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...given({ uid, resourceVersion }),
      ...(controlPlaneLabel in labels && { labels: { [controlPlaneLabel]: "" } }),
    },
    status: { conditions, ...given({ nodeInfo: status?.nodeInfo }) },
  };
};

const seenNode = (node: KubeNode): SeenNode => ({
  isControlPlane: node.metadata.labels?.[controlPlaneLabel] !== undefined,
  isReady: isNodeReady(node),
  says: [node.status?.nodeInfo?.kubeletVersion, node.status?.nodeInfo?.osImage].flatMap((text) => text ?? []),
});

const unique = (texts: (string | undefined)[]): string[] =>
  [...new Set(texts.flatMap((text) => text ?? []))].toSorted();
