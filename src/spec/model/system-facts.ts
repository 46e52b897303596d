import { packagedParts } from "../schema/k3s.ts";
import type { Cluster } from "./cluster.ts";

/** What others may want to know of the system that nodes run, so that nobody has to ask for its name. */
export interface SystemFacts {
  /** As people call it. */
  title: string;
  /** Where the host's own network reaches the API while nothing leads to services; absent: nowhere. */
  localApi?: { host: string; port: number };
  /** It mounts cgroups itself, lets no pod load kernel modules, and answers the pods' DNS from the host. */
  isSealed: boolean;
  /** It stops at once on processors older than x86-64-v2. */
  needsModernProcessor: boolean;
  /** Parts it can bring beside Kubernetes, and those it does bring here; absent: nobody knows. */
  packaged?: { parts: readonly string[]; brought: readonly string[] };
}

export function systemFacts({ distribution }: Pick<Cluster, "distribution">): SystemFacts {
  switch (distribution.kind) {
    case "talos":
      return {
        title: "Talos",
        // KubePrism
        localApi: { host: "localhost", port: 7445 },
        isSealed: true,
        needsModernProcessor: true,
        packaged: { parts: [], brought: [] },
      };
    case "k3s": {
      const { disable } = distribution.settings;
      return {
        title: "K3s",
        // the balancer of every node
        localApi: { host: "127.0.0.1", port: 6444 },
        isSealed: false,
        needsModernProcessor: false,
        packaged: { parts: packagedParts, brought: packagedParts.filter((part) => !disable.includes(part)) },
      };
    }
    case "linux":
      return { title: "Linux", isSealed: false, needsModernProcessor: false };
    case "other":
      return { title: distribution.name, isSealed: false, needsModernProcessor: false };
  }
}
