import type { KubeDaemonSet } from "../../../../clients/kube/index.ts";
import { errorData, SlipwayError } from "../../../../errors/index.ts";
import { defineResource, same, type Objection, type ReadContext } from "../../../../plan/index.ts";
import { parseVersion } from "../../../../spec/index.ts";
import { components, imageOf, viewDocuments, versionOfImage } from "../../config/index.ts";
import type { TalosAccess } from "../../talos-access.ts";
import { stillUsed } from "../errors.ts";
import type { NodeReads } from "../node-system.ts";
import { compareVersions } from "../upgrade-path.ts";
import type { KubernetesWant } from "./kubernetes-want.ts";
import { removedObjects, removedSettings } from "./removed.ts";
import { rollKubernetes } from "./roll-kubernetes.ts";

interface KubernetesHave {
  /** Versions of parts that are not as wanted, each once, oldest first. */
  versions: string[];
  /** What the wanted version does not have any more and the cluster still uses, in words. */
  used: string[];
}

/** Kubernetes on nodes that run: every part of it in one version. */
export const talosKubernetes = (access: TalosAccess, reads: NodeReads) => {
  const read = async (ctx: ReadContext, want: KubernetesWant): Promise<KubernetesHave> => {
    const { version: to } = want;
    const configs = await Promise.all(
      want.nodes.map(async ({ node, address }) => {
        const { reading } = await reads.node(ctx, { ...want, node, address });
        return { node, documents: viewDocuments(reading?.config ?? "", node) };
      }),
    );
    const found = configs.flatMap(({ documents }) =>
      components.flatMap((component) => versionOfImage(imageOf(documents, component) ?? "") ?? []),
    );
    const hasProxy = configs.some(({ documents }) => imageOf(documents, "kube-proxy") !== undefined);
    if (found.length > 0 && hasProxy) found.push(...(await appliedProxy(access, want)));
    const isDue = (version: string): boolean =>
      want.isOnTheWay ? compareVersions(version, to) < 0 : version !== to;
    const versions = [...new Set(found)].filter(isDue).toSorted(compareVersions);
    const minor = parseVersion(to)?.minor ?? 0;
    const isHop = versions.some((version) => (parseVersion(version)?.minor ?? minor) < minor);
    if (!isHop) return { versions, used: [] };
    const settings = configs.flatMap(({ node, documents }) => removedSettings(minor, node, documents));
    return { versions, used: [...settings, ...(await usedObjects(access, want, minor))] };
  };
  return defineResource<KubernetesWant, KubernetesHave>({
    kind: "talos/kubernetes",
    face: () => ({ label: "Kubernetes" }),
    read,

    compare({ cluster, version: to, from: before = "0.0.0" }, { versions, used }) {
      const [oldest] = versions;
      if (oldest === undefined) return same;
      const from = compareVersions(before, oldest) > 0 ? before : oldest;
      const change = { topic: "Kubernetes", from, to, consequence: "disturb" as const };
      const error = errorData(stillUsed({ cluster, from, to, used }));
      const objections: Objection[] = used.length === 0 ? [] : [{ ...change, error }];
      return {
        same: false,
        action: "update",
        consequence: "disturb",
        fields: [{ field: "version", from, to }],
        ...(objections.length > 0 && { objections }),
      };
    },

    create: read,

    async update(ctx, want) {
      await rollKubernetes({ access, ctx, want });
      return { versions: [], used: [] };
    },

    remove: async () => {},
  });
};

const proxyRef = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  namespace: "kube-system",
  name: "kube-proxy",
};

/** kube-proxy changes when the manifests are applied, which is the last thing of an upgrade. */
async function appliedProxy(access: TalosAccess, want: KubernetesWant): Promise<string[]> {
  try {
    const kube = await access.kube(want.cluster, want.endpoint);
    const proxy = await kube.get<KubeDaemonSet>(proxyRef);
    const containers = proxy?.spec?.template?.spec?.containers ?? [];
    return containers.flatMap(({ image }) => versionOfImage(image ?? "") ?? []).slice(0, 1);
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return [];
    throw thrown;
  }
}

async function usedObjects(access: TalosAccess, want: KubernetesWant, minor: number): Promise<string[]> {
  return removedObjects(minor, await access.kube(want.cluster, want.endpoint));
}
