import type { KubeClient } from "../../clients/kube/index.ts";

export type OpenKube = (cluster: string, server: string) => Promise<KubeClient>;

/** The Kubernetes API behind a server: one connection serves all that ask; what could not be opened is tried again. */
export function keptOpen(open: OpenKube): OpenKube {
  const apis = new Map<string, Promise<KubeClient>>();
  return (cluster, server) => {
    const key = `${cluster} ${server}`;
    const known = apis.get(key);
    if (known) return known;
    const opening = open(cluster, server);
    apis.set(key, opening);
    opening.catch(() => apis.delete(key));
    return opening;
  };
}
