import type { KubeClient, KubeConfigMap, KubeSecret } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { formOf, keysIn, openFileText, recipientOf, type AgeKeys } from "../../../secrets/index.ts";
import {
  ageKeyMissing,
  documentClosed,
  documentPlain,
  documentsShared,
  secretMissing,
} from "../../errors.ts";
import type { SlipwayCluster, SlipwayHosts } from "../../objects/index.ts";
import type { ReadSecret } from "./secret-refs.ts";

/** Encrypted files of a cluster that a tool has put from git into a ConfigMap or a Secret. */

export interface DocumentSource {
  kind: "ConfigMap" | "Secret";
  name: string;
}

export function documentSourceOf({ spec }: SlipwayCluster): DocumentSource | undefined {
  const { configMap, secret } = spec.secrets?.documents ?? {};
  if (configMap !== undefined) return { kind: "ConfigMap", name: configMap };
  return secret === undefined ? undefined : { kind: "Secret", name: secret };
}

export const sourceText = ({ kind, name }: DocumentSource): string => `${kind} "${name}"`;

/** Its files by key; undefined when there is no such object. */
export async function readDocuments(
  client: Pick<KubeClient, "get">,
  namespace: string,
  { kind, name }: DocumentSource,
): Promise<Map<string, Buffer> | undefined> {
  const ref = { apiVersion: "v1", kind, name, namespace };
  const bytes = (values: Record<string, string> = {}, encoding: BufferEncoding = "base64") =>
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value, encoding)] as const);
  if (kind === "Secret") {
    const found = await client.get<KubeSecret>(ref);
    return found && new Map(bytes(found.data));
  }
  const found = await client.get<KubeConfigMap>(ref);
  return found && new Map([...bytes(found.data, "utf8"), ...bytes(found.binaryData)]);
}

/** A document is only laid out when it is closed, and when the key at hand opens it: the next who reads it has to get on. */
export async function demandOpens(
  key: string,
  bytes: Buffer,
  source: DocumentSource,
  keys: AgeKeys,
): Promise<void> {
  const { form } = formOf(key);
  const named = { source: sourceText(source), key };
  if (form === "plain") throw documentPlain(named);
  try {
    await openFileText(bytes, form, key, keys);
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    const isKeyMissing = thrown.code === "SECRETS_LOCKED";
    throw documentClosed({ ...named, why: thrown.why, isKeyMissing, cause: thrown });
  }
}

/** The controller writes where it keeps files, and never where git does. */
export function demandApart(source: DocumentSource, secret: string): void {
  if (source.kind === "Secret" && source.name === secret) throw documentsShared({ secret });
}

/** What opens documents of clusters on these hosts. */
export async function documentKeysOf(
  { spec, metadata }: SlipwayHosts,
  read: ReadSecret,
  ofController: AgeKeys,
): Promise<{ keys: AgeKeys; recipient: string }> {
  const keys = spec.ageKey ? await namedKeys(spec.ageKey.secret, read) : ofController;
  const recipient = await recipientOf(keys).catch(() => undefined);
  if (recipient !== undefined) return { keys, recipient };
  const why = `there is no age key in ${keys.places.join(", ") || "the environment of the controller"}`;
  throw ageKeyMissing({ hosts: metadata.name, why });
}

async function namedKeys({ name, key }: { name: string; key: string }, read: ReadSecret): Promise<AgeKeys> {
  const text = (await read(name))?.[key];
  if (text === undefined) throw secretMissing({ name, key, path: "spec.ageKey" });
  return keysIn(text, `the key "${key}" of Secret "${name}"`);
}
