import type { KubeConfigMap, KubeObject } from "../../../clients/kube/index.ts";
import { errorData } from "../../../errors/index.ts";
import { twoOwners } from "../errors.ts";
import type { Workload } from "../kube-facts.ts";
import { no, yes, type Question } from "../question.ts";

/** What programs of GitOps write on the objects they keep, and how those call themselves. */
const marks: [keyof KubeObject["metadata"], string, string][] = [
  ["labels", "kustomize.toolkit.fluxcd.io/name", "Flux"],
  ["labels", "helm.toolkit.fluxcd.io/name", "Flux"],
  ["annotations", "argocd.argoproj.io/tracking-id", "Argo CD"],
  ["labels", "argocd.argoproj.io/instance", "Argo CD"],
];

/** Two who each write their own version over the other's never end, and an upgrade brings back the older one. */
export const oneOwner: Question = {
  id: "one-owner",
  title: "Has each add-on one owner?",
  async ask(inspection) {
    const kube = await inspection.kube();
    const [maps, workloads] = await Promise.all([
      kube.client.list<KubeConfigMap>(
        { apiVersion: "v1", kind: "ConfigMap", namespace: "kube-system", labels: "slipway.dev/addon" },
        inspection.signal,
      ),
      kube.workloads(),
    ]);
    const ours = maps.items.flatMap((map) => ownedBy(map) ?? []);
    for (const { id, names } of ours) {
      const fought = workloads.find((each) => names.has(keyOf(each)) || isOfRelease(each, names));
      const other = fought && otherOwner(fought);
      if (!fought || other === undefined) continue;
      const object = `${fought.kind} ${keyOf(fought)}`;
      return no(`${id}: ${other} keeps ${object} too`, {
        cause: errorData(twoOwners({ cluster: inspection.cluster.name, addon: id, other, object })),
      });
    }
    return yes(ours.length === 0 ? "there is none" : `${ours.length} of ${ours.length}`);
  },
};

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ""}/${metadata.name}`;

const otherOwner = ({ metadata }: Workload): string | undefined =>
  marks.find(
    ([field, key]) => (metadata[field] as Record<string, string> | undefined)?.[key] !== undefined,
  )?.[2];

const isOfRelease = ({ metadata }: Workload, names: Set<string>): boolean => {
  const release = metadata.annotations?.["meta.helm.sh/release-name"];
  const namespace = metadata.annotations?.["meta.helm.sh/release-namespace"];
  return release !== undefined && names.has(`release ${namespace}/${release}`);
};

interface Inventory {
  id?: string;
  owner?: string;
  parts?: {
    name: string;
    kind: string;
    namespace?: string;
    objects?: { namespace?: string; name: string }[];
  }[];
}

/** What the record of an add-on says is Slipway's; undefined when it was handed over or cannot be read. */
function ownedBy(map: KubeConfigMap): { id: string; names: Set<string> } | undefined {
  try {
    const { id = "", owner, parts = [] } = JSON.parse(map.data?.["inventory"] ?? "") as Inventory;
    if (owner !== "slipway") return undefined;
    const names = parts.flatMap(({ name, kind, namespace = "", objects = [] }) => [
      ...(kind === "release" ? [`release ${namespace}/${name}`] : []),
      ...objects.map((object) => `${object.namespace ?? ""}/${object.name}`),
    ]);
    return { id, names: new Set(names) };
  } catch {
    return undefined;
  }
}
