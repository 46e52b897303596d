import { createHash, type Hash } from "node:crypto";
import { Document, isMap, parseAllDocuments, parseDocument, type Scalar } from "yaml";
import type { Random } from "../../lib/index.ts";
import { decryptAge, encryptAge } from "../age/age-file.ts";
import type { AgeKeys } from "../age/file-key.ts";
import { fileLocked, fileTampered, sopsNotUnderstood } from "../errors.ts";
import { readSopsMetadata, type SopsMetadata } from "./metadata.ts";
import { isToBeEncrypted, type SopsRules } from "./rules.ts";
import { setScalar, visitTree } from "./tree.ts";
import { decryptValue, encryptValue, isEncrypted, leafBytes, type SopsLeaf } from "./values.ts";

/** Files as the `sops` program writes and reads them: YAML, JSON, and for all else JSON around the content. */
export interface OpenedSops {
  /** The file as it was before it was encrypted. */
  text: string;
  /** The same as data; whole numbers are bigint. */
  data: unknown;
}

const yamlOptions = { intAsBigInt: true, logLevel: "silent", uniqueKeys: true } as const;
const usualRules: SopsRules = { unencrypted_suffix: "_unencrypted" };
/** What SOPS puts in front when only encrypted values count. */
const macOnlyEncryptedStart = "8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69";
/** The format is that of this version; readers look at nothing but whether it is old. */
const formatVersion = "3.11.0";

/** Whether a file is encrypted by SOPS, without opening it. */
export const isSopsFile = (text: string): boolean =>
  /(^|\n|[{,]\s*)"?sops"?\s*:/.test(text) && /ENC\[AES256_GCM,/.test(text);

/** Opens a file and holds it against its checksum: what was changed without the key is refused. */
export async function readSops(text: string, file: string, keys: AgeKeys): Promise<OpenedSops> {
  const documents = parseAllDocuments(text, yamlOptions) as Document[];
  if (documents.length === 0 || documents.some(({ errors }) => errors.length > 0))
    throw sopsNotUnderstood({ file, why: "it is neither YAML nor JSON" });
  const metadata = readSopsMetadata(documents[0]?.toJS() as unknown, file);
  const key = await dataKey(metadata, file, keys);
  const hash = newHash(metadata.rules);
  for (const document of documents) {
    document.delete("sops");
    decryptTree(document, key, { ...metadata, file, hash });
  }
  const expected = decryptValue(metadata.mac, key, metadata.lastModified);
  if (expected !== hash.digest("hex").toUpperCase())
    throw fileTampered({ file, why: "its values do not match its checksum (MAC)" });
  return { text: plainText(documents, text), data: documents[0]?.toJS() as unknown };
}

/** Who can open the file. */
export const recipientsOfSops = (text: string, file: string): string[] =>
  readSopsMetadata(parseDocument(text, yamlOptions).toJS() as unknown, file).age.map(
    ({ recipient }) => recipient,
  );

async function dataKey({ age }: SopsMetadata, file: string, keys: AgeKeys): Promise<Buffer> {
  for (const { enc } of age) {
    const key = await decryptAge(Buffer.from(enc), keys).catch(() => {
      throw fileTampered({ file, why: "the key in it was changed" });
    });
    if (key?.length === 32) return key;
  }
  throw fileLocked({ file, readers: age.map(({ recipient }) => recipient), places: keys.places });
}

interface Decryption {
  file: string;
  rules: SopsRules;
  hash: Hash;
}

function decryptTree(document: Document, key: Buffer, { file, rules, hash }: Decryption): void {
  const leaf = (scalar: Scalar, path: string[]): void => {
    if (scalar.value === null) return;
    const isSecret = isToBeEncrypted(rules, path);
    const found = scalar.value;
    const value = isSecret
      ? decryptValue(typeof found === "string" ? found : "-", key, `${path.join(":")}:`)
      : (found as SopsLeaf);
    // The path is a name of the user's, never a secret.
    if (value === undefined) throw fileTampered({ file, why: `"${path.join(".")}" was changed` });
    if (isSecret || rules.mac_only_encrypted !== true)
      hash.update(isSecret ? leafBytes(value) : plainBytes(scalar, value));
    if (isSecret) setScalar(scalar, Buffer.isBuffer(value) ? value.toString("utf8") : value);
  };
  const comment = (lines: string, path: string[]): string =>
    eachLine(lines, (line) => (isEncrypted(line) ? openComment(line, key, path) : line));
  try {
    visitTree(document, { leaf, comment });
  } catch (thrown) {
    if (thrown instanceof Error && thrown.constructor === Error)
      throw sopsNotUnderstood({ file, why: thrown.message });
    throw thrown;
  }
}

/** Readers of YAML disagree on where a comment belongs: here, or to one of the maps around. */
function openComment(line: string, key: Buffer, path: string[]): string {
  for (let length = path.length; length >= 0; length -= 1) {
    const found = decryptValue(line, key, `${path.slice(0, length).join(":")}:`);
    if (typeof found === "string") return found;
  }
  return line;
}

/** Dates that stand unencrypted: SOPS takes them for moments, and hashes them whole. */
function plainBytes({ type, source }: Scalar, value: SopsLeaf): Buffer {
  const isDay = type === "PLAIN" && /^\d{4}-\d\d-\d\d$/.test(source ?? "");
  return isDay ? Buffer.from(`${source}T00:00:00Z`) : leafBytes(value);
}

function plainText(documents: Document[], text: string): string {
  const [first] = documents;
  const isJson = text.trimStart().startsWith("{");
  if (!isJson) return documents.map((each) => each.toString({ lineWidth: 0 })).join("");
  const data = (first?.toJS() ?? {}) as Record<string, unknown>;
  const [only] = Object.values(data);
  if (Object.keys(data).join() === "data" && typeof only === "string") return only;
  return `${JSON.stringify(data, (_key, value: unknown) => (typeof value === "bigint" ? Number(value) : value), 2)}\n`;
}

export interface SopsWriting {
  recipients: string[];
  random: Random;
  /** Milliseconds; stands in the file. */
  now: number;
}

/** Encrypts YAML value by value, so that keys stay readable and changes small. */
export async function writeSopsYaml(text: string, writing: SopsWriting): Promise<string> {
  const document = parseDocument(text, yamlOptions);
  if (document.errors.length > 0 || !isMap(document.contents) || document.has("sops"))
    throw new Error("only a map without a key named sops can be encrypted");
  await encryptDocument(document, writing);
  return document.toString({ lineWidth: 0, indent: 4 });
}

/** Any content, as one value in JSON: what `sops` does with files whose kind it does not know. */
export async function writeSopsBinary(text: string, writing: SopsWriting): Promise<string> {
  const document = new Document({ data: text });
  await encryptDocument(document, writing);
  return `${JSON.stringify(document.toJS(), undefined, "\t")}\n`;
}

async function encryptDocument(document: Document, { recipients, random, now }: SopsWriting): Promise<void> {
  const key = random.bytes(32);
  const hash = newHash(usualRules);
  visitTree(document, {
    leaf(scalar, path) {
      if (scalar.value === null) return;
      const value = scalar.value as SopsLeaf;
      hash.update(leafBytes(value));
      if (!isToBeEncrypted(usualRules, path)) return;
      setScalar(scalar, encryptValue(value, { key, place: `${path.join(":")}:`, random }));
    },
    comment: (lines, path) =>
      eachLine(lines, (line) =>
        encryptValue(line, { key, place: `${path.join(":")}:`, random, type: "comment" }),
      ),
  });
  const lastmodified = new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
  const mac = hash.digest("hex").toUpperCase();
  const age = recipients.map(async (recipient) => ({
    recipient,
    enc: await encryptAge(key, { recipients: [recipient] }, random),
  }));
  document.set("sops", {
    age: await Promise.all(age),
    lastmodified,
    mac: encryptValue(mac, { key, place: lastmodified, random }),
    ...usualRules,
    version: formatVersion,
  });
}

const eachLine = (lines: string, change: (line: string) => string): string =>
  lines.split("\n").map(change).join("\n");

function newHash(rules: SopsRules): Hash {
  const hash = createHash("sha512");
  return rules.mac_only_encrypted === true ? hash.update(macOnlyEncryptedStart, "hex") : hash;
}
