import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { KubeClient, KubeConfigMap, KubeRef, KubeSecret } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { isDraft, replaceFile } from "../../../lib/index.ts";
import { formOf, type SecretFiles } from "../../../secrets/index.ts";
import { documentPlain, secretKeyUnfit, tooLargeForSecret } from "../../errors.ts";
import { clusterLabel, type SlipwayCluster } from "../../objects/index.ts";

/** The files of `.slipway/CLUSTER/`, which live in a Secret: a pod's own disk is forgotten with the pod. */
export interface ClusterFiles {
  /** Lays what the Secret holds where the operations look for it. */
  layOut(): Promise<void>;
  /** Secrets that are in the Secret before anybody uses them. */
  keptBy(files: SecretFiles): SecretFiles;
  /** Keeps what a run has left in the folder besides, and takes out what it has removed. */
  keep(): Promise<void>;
  /** Takes the Secret away. */
  forget(): Promise<void>;
}

export interface ClusterFilesOptions {
  client: Pick<KubeClient, "get" | "create" | "patch" | "delete">;
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

/** Keys of Secrets have no slashes. */
export const keyOfFile = (name: string): string => name.replaceAll("/", "__");
export const fileOfKey = (folder: string, key: string): string =>
  fileBelow(folder, key.replaceAll("__", "/"));

/** Whoever may write a Secret must not thereby choose which file is written. */
export function fileBelow(folder: string, name: string): string {
  const file = path.join(folder, name);
  if (!file.startsWith(folder + path.sep)) throw secretKeyUnfit({ folder, key: name });
  return file;
}

export function clusterFiles({ client, object, namespace, folder }: ClusterFilesOptions): ClusterFiles {
  const cluster = object.metadata.name;
  const own = path.join(folder, cluster);
  const ref = (kind: string, name: string): KubeRef => ({ apiVersion: "v1", kind, name, namespace });
  const secretRef = ref("Secret", secretNameOf(object));
  let known: KubeSecret | undefined;
  let documents = new Set<string>();

  const read = async (): Promise<void> => {
    known = await client.get<KubeSecret>(secretRef);
  };

  /** `null` takes a key out. Only into the Secret that was read: two controllers must not each make secrets of their own. */
  const write = async (data: Record<string, string | null>): Promise<void> => {
    const { apiVersion, kind, name } = secretRef;
    known = known
      ? await client.patch<KubeSecret>(secretRef, {
          metadata: { resourceVersion: known.metadata.resourceVersion },
          data,
        })
      : await client.create<KubeSecret>({
          ...{ apiVersion, kind, data },
          metadata: { name, namespace, labels: { [clusterLabel]: cluster } },
        });
  };

  const bytesOf = (name: string): Promise<Buffer | undefined> =>
    readFile(path.join(own, name)).catch(() => undefined);

  /** What lies on the disk under this name, whatever its form, in the Secret. */
  const push = async (name: string): Promise<void> => {
    const wanted = formsOf(name);
    const found = await Promise.all(wanted.map(bytesOf));
    const changes = wanted.flatMap((each, index): [string, string | null][] => {
      const [now, before] = [found[index]?.toString("base64"), known?.data?.[keyOfFile(each)]];
      return now === before ? [] : [[keyOfFile(each), now ?? null]];
    });
    if (changes.length > 0) await write(Object.fromEntries(changes));
  };

  const layOut = async (): Promise<void> => {
    const before = known?.metadata.resourceVersion;
    await read();
    if (known && known.metadata.resourceVersion !== before)
      for (const [key, value] of Object.entries(known.data ?? {}))
        await put(fileOfKey(own, key), Buffer.from(value, "base64"));
    documents = await layOutDocuments(client, ref, object, own);
  };

  return {
    layOut,
    keptBy: (files) => ({
      ...files,
      // Configs that hold every secret are of no use in a pod: they are not written where secrets are encrypted.
      isEncrypted: () => true,
      async writeOnce(name, file, text) {
        const written = await files.writeOnce(name, file, text);
        if (!written.isOurs || name !== cluster) return written;
        try {
          await push(file);
          return written;
        } catch (thrown) {
          if (!isOvertaken(thrown)) {
            await files.remove(name, file);
            throw thrown;
          }
        }
        // Another controller was faster: its secrets are the cluster's.
        await read();
        const theirs = formsOf(file).find((each) => known?.data?.[keyOfFile(each)] !== undefined);
        if (theirs === undefined) {
          await push(file);
          return written;
        }
        await files.remove(name, file);
        await put(path.join(own, theirs), Buffer.from(known?.data?.[keyOfFile(theirs)] ?? "", "base64"));
        return { text: (await files.read(name, file)) ?? "", isOurs: false };
      },
      async replace(name, file, text) {
        await files.replace(name, file, text);
        if (name === cluster) await push(file);
      },
      async remove(name, file) {
        await files.remove(name, file);
        if (name === cluster) await push(file);
      },
    }),
    async keep() {
      const names = (await filesIn(own)).filter((name) => !isLeftOut(name) && !documents.has(name));
      const found = await Promise.all(names.map(bytesOf));
      const now = new Map(
        names.map((name, index) => [keyOfFile(name), found[index]?.toString("base64") ?? ""]),
      );
      const bytes = [...now.values()].reduce((sum, value) => sum + value.length, 0);
      if (bytes > mostBytes) throw tooLargeForSecret({ name: secretRef.name, bytes });
      const before = known?.data ?? {};
      const changes = [
        ...[...now].filter(([key, value]) => before[key] !== value),
        ...Object.keys(before).flatMap((key): [string, null][] => (now.has(key) ? [] : [[key, null]])),
      ];
      if (changes.length > 0) await write(Object.fromEntries(changes));
    },
    async forget() {
      await client.delete(secretRef);
      known = undefined;
    },
  };
}

/** Files from git: encrypted, laid beside the others, and never written into the Secret. */
async function layOutDocuments(
  client: Pick<KubeClient, "get">,
  ref: (kind: string, name: string) => KubeRef,
  { spec }: SlipwayCluster,
  folder: string,
): Promise<Set<string>> {
  const configMap = spec.secrets?.documents?.configMap;
  if (configMap === undefined) return new Set();
  const found = await client.get<KubeConfigMap>(ref("ConfigMap", configMap));
  const documents = Object.entries({ ...found?.data });
  for (const [key, text] of documents) {
    if (formOf(key).form === "plain") throw documentPlain({ configMap, key });
    await put(fileOfKey(folder, key), Buffer.from(text));
  }
  return new Set(documents.map(([key]) => path.relative(folder, fileOfKey(folder, key))));
}

/** A file that says so already is left alone. */
async function put(file: string, bytes: Buffer): Promise<void> {
  const found = await readFile(file).catch(() => undefined);
  if (found?.equals(bytes) !== true) await replaceFile(file, bytes);
}

export async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

/** The names a file may have: plain, or encrypted in one of two ways. */
const formsOf = (name: string): string[] => [
  name,
  `${name}.age`,
  name.endsWith(".yaml") ? name.replace(/\.yaml$/, ".sops.yaml") : `${name}.sops`,
];

const isOvertaken = (thrown: unknown): boolean =>
  thrown instanceof SlipwayError && ["KUBE_CONFLICT", "KUBE_ALREADY_EXISTS"].includes(thrown.code);
