import {
  packRelease,
  releaseSecretName,
  unpackRelease,
  type ReleaseRecord,
} from "../../clients/helm/index.ts";
import type { KubeClient, KubeSecret } from "../../clients/kube/index.ts";

/** Releases as helm keeps them: one Secret for each revision, its state in the labels. */
export interface ReleaseStore {
  /** Oldest first. */
  history(name: string, namespace: string): Promise<ReleaseRecord[]>;
  /** All revisions, of one namespace or of all. */
  all(namespace: string | undefined, labels: string | undefined): Promise<ReleaseRecord[]>;
  create(record: ReleaseRecord, labels: Record<string, string>): Promise<void>;
  /** Writes the state of a revision that is there already. */
  update(record: ReleaseRecord): Promise<void>;
  remove(record: ReleaseRecord): Promise<void>;
}

const kind = { apiVersion: "v1", kind: "Secret" };

export function releaseStore(kube: KubeClient, now: () => number): ReleaseStore {
  const seconds = () => String(Math.floor(now() / 1000));
  const ref = (record: ReleaseRecord) => ({
    ...kind,
    namespace: record.namespace,
    name: releaseSecretName({ name: record.name, revision: record.version }),
  });

  async function read(namespace: string | undefined, labels: string): Promise<ReleaseRecord[]> {
    const query = { ...kind, labels, namespace };
    const { items } = await kube.list<KubeSecret>(query);
    return items
      .map((secret) => unpackRelease(secret.data?.["release"] ?? ""))
      .toSorted((a, b) => a.version - b.version);
  }

  return {
    history: (name, namespace) => read(namespace, `owner=helm,name=${name}`),
    all: (namespace, labels) => read(namespace, labels === undefined ? "owner=helm" : `owner=helm,${labels}`),
    async create(record, labels) {
      const { name, namespace } = ref(record);
      const helms = {
        name: record.name,
        owner: "helm",
        status: record.info.status,
        version: String(record.version),
        createdAt: seconds(),
      };
      await kube.create({
        ...kind,
        metadata: { name, namespace, labels: { ...labels, ...helms } },
        type: "helm.sh/release.v1",
        data: { release: packRelease(record) },
      });
    },
    async update(record) {
      await kube.patch(ref(record), {
        metadata: { labels: { status: record.info.status, modifiedAt: seconds() } },
        data: { release: packRelease(record) },
      });
    },
    async remove(record) {
      await kube.delete(ref(record));
    },
  };
}
