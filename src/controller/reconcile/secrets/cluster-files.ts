import path from "node:path";
import type { KubeClient, KubeRef, KubeSecret } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { isDraft, type Random } from "../../../lib/index.ts";
import { formOf, type SecretFiles } from "../../../secrets/index.ts";
import { tooLargeForSecret } from "../../errors.ts";
import { clusterLabel, type SlipwayCluster } from "../../objects/index.ts";
import { documentFiles, type Opening } from "./document-files.ts";
import { bytesOf, fileOfKey, filesIn, formsOf, keyOfFile, put } from "./files-by-key.ts";

/** The files of `.slipway/CLUSTER/`, which live in a Secret: a pod's own disk is forgotten with the pod. */
export interface ClusterFiles {
  /** Lays what the Secret and the documents hold where the operations look for it. */
  layOut(opening?: Opening): Promise<void>;
  /** Secrets that are in the Secret before anybody uses them. */
  keptBy(files: SecretFiles): SecretFiles;
  /** Keeps what a run has left in the folder besides, and takes out what it has removed. */
  keep(): Promise<void>;
  /** Takes the Secret away. */
  forget(): Promise<void>;
}

export interface ClusterFilesOptions {
  client: Pick<KubeClient, "get" | "create" | "patch" | "delete">;
  random: Random;
  object: SlipwayCluster;
  namespace: string;
  /** `.slipway`. */
  folder: string;
}

/** Of this process alone, or made again from the secrets whenever they are missing. */
export const isLeftOut = (name: string): boolean =>
  name === "run.lock" || name.startsWith("nodes/") || name.endsWith(".db") || isDraft(path.basename(name));

const mostBytes = 1_000_000;

export const secretNameOf = ({ metadata, spec }: SlipwayCluster): string =>
  spec.secrets?.name ?? `${metadata.name}-secrets`;

export function clusterFiles(options: ClusterFilesOptions): ClusterFiles {
  const { client, object, namespace, folder } = options;
  const cluster = object.metadata.name;
  const own = path.join(folder, cluster);
  const secretRef: KubeRef = { apiVersion: "v1", kind: "Secret", name: secretNameOf(object), namespace };
  const secret = openSecret(client, secretRef, { [clusterLabel]: cluster });
  const documents = documentFiles({ ...options, own, secretName: secretRef.name });
  let isLaidOut = false;
  const keep = async (): Promise<void> => {
    const names = (await filesIn(own)).filter((name) => !isLeftOut(name) && !documents?.has(name));
    const found = new Map<string, Buffer>();
    for (const name of names) found.set(name, (await bytesOf(own, name)) ?? Buffer.alloc(0));
    const kept = documents ? await documents.closed(found) : found;
    const now = new Map([...kept].map(([name, bytes]) => [keyOfFile(name), bytes.toString("base64")]));
    const bytes = [...now.values()].reduce((sum, value) => sum + value.length, 0);
    if (bytes > mostBytes) throw tooLargeForSecret({ name: secretRef.name, bytes });
    const before = secret.data();
    const changes = [
      ...[...now].filter(([key, value]) => before[key] !== value),
      ...Object.keys(before).flatMap((key): [string, null][] => (now.has(key) ? [] : [[key, null]])),
    ];
    if (changes.length > 0) await secret.write(Object.fromEntries(changes));
  };
  return {
    keep,
    async layOut(opening) {
      // What could not be laid out to its end is laid out again: what is missing then would be made anew.
      if (await secret.read()) isLaidOut = false;
      const files = new Map(
        Object.entries(secret.data()).map(([key, value]) => [key, Buffer.from(value, "base64")]),
      );
      if (documents) await documents.layOut({ files, isOther: !isLaidOut }, opening);
      else if (!isLaidOut) for (const [key, bytes] of files) await put(fileOfKey(own, key), bytes);
      isLaidOut = true;
      // Of the time before there were documents.
      if (documents && [...files.keys()].some((key) => formOf(key).form === "plain")) await keep();
    },
    keptBy: (files) => writingThrough(files, cluster, own, secret),
    async forget() {
      await client.delete(secretRef);
      await secret.read();
    },
  };
}

/** A Secret as it was last seen. It is only written as that: two controllers must not each make secrets of their own. */
interface OpenSecret {
  data(): Record<string, string>;
  /** Whether it is another one than before. */
  read(): Promise<boolean>;
  /** `null` takes a key out. */
  write(data: Record<string, string | null>): Promise<void>;
}

function openSecret(
  client: ClusterFilesOptions["client"],
  ref: KubeRef,
  labels: Record<string, string>,
): OpenSecret {
  let known: KubeSecret | undefined;
  return {
    data: () => known?.data ?? {},
    async read() {
      const before = known?.metadata.resourceVersion;
      known = await client.get<KubeSecret>(ref);
      return known?.metadata.resourceVersion !== before;
    },
    async write(data) {
      const { apiVersion, kind, name, namespace = "" } = ref;
      const resourceVersion = known?.metadata.resourceVersion;
      known = known
        ? await client.patch<KubeSecret>(ref, { metadata: { resourceVersion }, data })
        : await client.create<KubeSecret>({ apiVersion, kind, data, metadata: { name, namespace, labels } });
    },
  };
}

/** What is written is in the Secret before anybody uses it. */
function writingThrough(files: SecretFiles, cluster: string, own: string, secret: OpenSecret): SecretFiles {
  /** What lies on the disk under this name, whatever its form. */
  const push = async (name: string): Promise<void> => {
    const wanted = formsOf(name);
    const found = await Promise.all(wanted.map((each) => bytesOf(own, each)));
    const changes = wanted.flatMap((each, index): [string, string | null][] => {
      const [now, before] = [found[index]?.toString("base64"), secret.data()[keyOfFile(each)]];
      return now === before ? [] : [[keyOfFile(each), now ?? null]];
    });
    if (changes.length > 0) await secret.write(Object.fromEntries(changes));
  };
  /** Whether it is ours; another controller may have been faster. */
  const pushFirst = async (name: string): Promise<boolean> => {
    try {
      await push(name);
      return true;
    } catch (thrown) {
      if (!isOvertaken(thrown)) throw thrown;
    }
    await secret.read();
    const theirs = formsOf(name).find((each) => secret.data()[keyOfFile(each)] !== undefined);
    if (theirs === undefined) {
      await push(name);
      return true;
    }
    await files.remove(cluster, name);
    await put(path.join(own, theirs), Buffer.from(secret.data()[keyOfFile(theirs)] ?? "", "base64"));
    return false;
  };
  return {
    ...files,
    // Configs that hold every secret are of no use in a pod: they are not written where secrets are encrypted.
    isEncrypted: () => true,
    async writeOnce(name, file, text) {
      const written = await files.writeOnce(name, file, text);
      if (!written.isOurs || name !== cluster) return written;
      const isOurs = await pushFirst(file).catch(async (thrown: unknown) => {
        // What is not kept must not be used.
        await files.remove(name, file);
        throw thrown;
      });
      return isOurs ? written : { text: (await files.read(name, file)) ?? "", isOurs };
    },
    async replace(name, file, text) {
      await files.replace(name, file, text);
      if (name === cluster) await push(file);
    },
    async remove(name, file) {
      await files.remove(name, file);
      if (name === cluster) await push(file);
    },
  };
}

const isOvertaken = (thrown: unknown): boolean =>
  thrown instanceof SlipwayError && ["KUBE_CONFLICT", "KUBE_ALREADY_EXISTS"].includes(thrown.code);
