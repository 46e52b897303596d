import { conditionOf, type KubeClient, type KubePod } from "../../../../clients/kube/index.ts";
import { resourceKinds, type TalosClient } from "../../../../clients/talos/index.ts";

/** What Talos notes on a static pod: the versions of the settings, files and secrets it was made from. */
export type StaticPodVersions = Map<string, string>;

const apps = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"];

/** Of each static pod of a control plane, as Talos has written it for the kubelet. */
export async function writtenVersions(node: TalosClient): Promise<StaticPodVersions> {
  const pods = await node.listResources(resourceKinds.staticPods);
  return new Map(
    pods
      .filter(({ id }) => apps.includes(id))
      .map(({ id, spec }) => [id, versionsOf(spec as Pick<KubePod, "metadata">)]),
  );
}

const versionsOf = ({ metadata }: Pick<KubePod, "metadata">): string =>
  Object.entries(metadata.annotations ?? {})
    .filter(([key]) => key.startsWith("talos.dev/"))
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(" ");

/** Talos writes its static pods again a moment after it has taken a config, and not at all when nothing in them changes. */
export const rewriteMs = 20_000;

/**
 * Its static pods are those of its config, or will not change by it: a config that a run which was cut has brought a moment
 * ago may still restart them. A node whose clock is ahead of ours tells nothing about that.
 */
export async function hasFollowedConfig(
  node: TalosClient,
  name: string,
  nowMs: number,
  openKube: () => Promise<KubeClient>,
): Promise<boolean> {
  const [config] = await node.listResources(resourceKinds.machineConfig, { idPattern: "^v1alpha1$" });
  const takenMs = config?.updatedMs ?? 0;
  if (takenMs > nowMs || nowMs - takenMs >= rewriteMs) return true;
  const pods = await node.listResources(resourceKinds.staticPods);
  if (!pods.some(({ updatedMs }) => updatedMs >= takenMs)) return false;
  return (await laggingPod(await openKube(), name, await writtenVersions(node))) === undefined;
}

/** Which static pod of the node does not run as it is written; undefined when all do and are ready. */
export async function laggingPod(
  kube: KubeClient,
  node: string,
  written: StaticPodVersions,
): Promise<string | undefined> {
  for (const [app, versions] of written) {
    const ref = { apiVersion: "v1", kind: "Pod", namespace: "kube-system", name: `${app}-${node}` };
    const pod = await kube.get<KubePod>(ref);
    if (!pod) return `${app} has not started`;
    if (versionsOf(pod) !== versions) return `${app} still runs with its old settings`;
    if (conditionOf(pod, "Ready")?.status !== "True") return `${app} is not ready`;
  }
  return undefined;
}
