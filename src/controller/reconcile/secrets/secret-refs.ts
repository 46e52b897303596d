import path from "node:path";
import type { KubeClient, KubeSecret } from "../../../clients/kube/index.ts";
import { memoize, replaceFile } from "../../../lib/index.ts";
import { namesThisComputer, secretMissing } from "../../errors.ts";
import { onInYaml11, type SecretKeyRef } from "../../objects/index.ts";

/** Fields that name a file in the cluster file; an object takes it from a Secret. */
const fileFields = new Set(["ca", "keyFile", "knownHosts"]);
/** Fields that would read or run something where the controller runs. */
const localFields = new Set([
  "env",
  "file",
  "command",
  "age",
  "sops",
  "folder",
  "valuesFiles",
  ...fileFields,
]);
/** Parts in others' languages, where these words mean something else. */
const foreignParts = new Set([
  "values",
  "inlineManifests",
  "labels",
  "annotations",
  "sysctls",
  "args",
  "config",
  "serverFlags",
  "agentFlags",
  "content",
]);

/**
 * Whoever may write an object may not thereby read the controller's files or run programs in its pod. Throws at the first field that
 * would.
 */
export function refuseLocalNames(value: unknown, at: string): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) refuseLocalNames(item, `${at}[${index}]`);
  if (!isRecord(value) || isRef(value)) return;
  for (const [key, part] of Object.entries(value)) {
    const here = `${at}.${key}`;
    if (foreignParts.has(key)) continue;
    if (key === "patches") refuseFilePatches(part, here);
    else if (localFields.has(key) && !isRef(part)) throw namesThisComputer({ path: here });
    else if ((key === "path" && at.endsWith(".chart")) || (key === "keys" && namesFile(part)))
      throw namesThisComputer({ path: here });
    else refuseLocalNames(part, here);
  }
}

/** A public key has spaces in it; what has none is the name of a file. */
const namesFile = (keys: unknown): boolean =>
  Array.isArray(keys) && keys.some((key) => typeof key === "string" && !key.includes(" "));

/** A patch is in the language of machine configs, unless it is nothing but the name of a file. */
function refuseFilePatches(patches: unknown, at: string): void {
  if (!Array.isArray(patches)) return;
  for (const [index, patch] of patches.entries())
    if (typeof patch === "string" || (isRecord(patch) && Object.keys(patch).join() === "file"))
      throw namesThisComputer({ path: `${at}[${index}]` });
}

/** The object in the words of a cluster file: every value that it refers to is put into a file, and that is named in its place. */
export async function resolveRefs(
  value: unknown,
  at: string,
  read: ReadSecret,
  folder: string,
): Promise<unknown> {
  if (Array.isArray(value))
    return Promise.all(value.map((item, index) => resolveRefs(item, `${at}[${index}]`, read, folder)));
  if (!isRecord(value)) return value;
  if (isRef(value)) return { file: await putDown(value, at, read, folder) };
  const fields = Object.entries(value).map(async ([key, part]): Promise<[string, unknown]> => {
    const here = `${at}.${key}`;
    if (key === onInYaml11) return ["on", part];
    // Those of a Git server are secrets like its password, and no paths.
    return fileFields.has(key) && isRef(part) && !at.endsWith(".credentials")
      ? [key, await putDown(part, here, read, folder)]
      : [key, await resolveRefs(part, here, read, folder)];
  });
  return Object.fromEntries(await Promise.all(fields));
}

/** The path is the same on every replica: it counts for the digest of a plan. */
async function putDown(
  { secret }: SecretKeyRef,
  at: string,
  read: ReadSecret,
  folder: string,
): Promise<string> {
  const { name, key } = secret;
  const text = (await read(name))?.[key];
  if (text === undefined) throw secretMissing({ name, key, path: at });
  const relative = path.join("secrets", name, key);
  await replaceFile(path.join(folder, relative), text);
  return `./${relative}`;
}

/** The values of a Secret by key; undefined when there is none. */
export type ReadSecret = (name: string) => Promise<Record<string, string> | undefined>;

/** Each Secret is asked for once. */
export const secretReader = (client: Pick<KubeClient, "get">, namespace: string): ReadSecret =>
  memoize(async (name) => {
    const secret = await client.get<KubeSecret>({ apiVersion: "v1", kind: "Secret", name, namespace });
    return secret && decoded(secret.data);
  });

const decoded = (data: Record<string, string> | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
  );

const isRef = (value: unknown): value is SecretKeyRef =>
  isRecord(value) &&
  Object.keys(value).join() === "secret" &&
  isRecord(value["secret"]) &&
  isPlainName(value["secret"]["name"]) &&
  isPlainName(value["secret"]["key"]);

/** Names of Secrets and their keys; nothing that leads out of the folder. */
const isPlainName = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value) && !value.includes("..");

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
