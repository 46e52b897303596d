import type { KubeEvent, KubeStorageClass, KubeVolumeClaim } from "../../../clients/kube/index.ts";
import { errorData } from "../../../errors/index.ts";
import { claimPending, storageClassMissing } from "./errors.ts";
import { no, yes, type Question } from "../question.ts";
import { listed, short } from "../text.ts";

/** Every claim of storage has a volume; one that waits says why. */
export const claimsBound: Question = {
  id: "claims-bound",
  title: "Are claims bound?",
  async ask(inspection) {
    const kube = await inspection.kube();
    const [claims, classes] = await Promise.all([
      kube.list<KubeVolumeClaim>("v1", "PersistentVolumeClaim"),
      kube.list<KubeStorageClass>("storage.k8s.io/v1", "StorageClass"),
    ]);
    const waiting = claims.filter(({ status }) => status?.phase !== "Bound");
    const told = await explain(waiting, await kube.events(), classes);
    const [first] = told;
    if (!first) return yes(`${claims.length} of ${claims.length}`);
    const { claim, storageClass, why } = first;
    const facts = { cluster: inspection.cluster.name, claim, why: short(why, 200) };
    const isUnknown =
      storageClass !== undefined && !classes.some(({ metadata }) => metadata.name === storageClass);
    return no(`${claim}: ${short(isUnknown ? `storage class "${storageClass}" is not there` : why)}`, {
      cause: errorData(
        isUnknown
          ? storageClassMissing({
              ...facts,
              storageClass,
              classes: listed(classes.map(({ metadata }) => metadata.name)),
            })
          : claimPending({ ...facts, storageClass: storageClass ?? "none" }),
      ),
    });
  },
};

interface Waiting {
  claim: string;
  storageClass: string | undefined;
  why: string;
}

/** A claim that only waits for its first pod is as it should be. */
async function explain(
  claims: KubeVolumeClaim[],
  events: KubeEvent[],
  classes: KubeStorageClass[],
): Promise<Waiting[]> {
  return claims.flatMap((claim) => {
    const { name, namespace = "", uid } = claim.metadata;
    const storageClass = claim.spec?.storageClassName;
    const about = events.filter(({ involvedObject }) =>
      uid === undefined ? involvedObject?.name === name : involvedObject?.uid === uid,
    );
    const warning = about.findLast(({ type }) => type === "Warning");
    const waitsForPod = about.some(({ reason }) => reason === "WaitForFirstConsumer") && !warning;
    const isLazy = classes.some(
      ({ metadata, volumeBindingMode }) =>
        metadata.name === storageClass && volumeBindingMode === "WaitForFirstConsumer",
    );
    if (waitsForPod || (isLazy && !warning)) return [];
    const why = warning
      ? `${warning.reason}: ${warning.message ?? ""}`
      : (about.at(-1)?.message ?? "no volume was made for it");
    return [{ claim: `${namespace}/${name}`, storageClass, why }];
  });
}
