import { readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { SlipwayError } from "../../errors/index.ts";
import {
  createFile,
  removeFiles,
  replaceFile,
  stableJson,
  Redaction,
  type Clock,
  type Random,
  type WriteOptions,
} from "../../lib/index.ts";
import type { SecretRef, SecretsAtRest } from "../../spec/index.ts";
import { encryptAge, type Readers } from "../age/age-file.ts";
import { noKeys, withPassphrase } from "../age/age-keys.ts";
import type { AgeKeys } from "../age/file-key.ts";
import { decode, encode, formIn, type Encryption } from "./at-rest.ts";
import { formOf, forms, nameInForm, type Form } from "./file-forms.ts";
import {
  bundleNotWritten,
  bundleUnreadable,
  bundleVanished,
  clusterNameUnsafe,
  linkBroken,
  lockedOut,
  notAsWritten,
} from "../errors.ts";
import { hasCode, hideFromGit } from "./hide-from-git.ts";

/** A file that is there. */
export interface KeptFile {
  /** As a plain file: `secrets.yaml`, `ssh/id_ed25519`. */
  name: string;
  form: Form;
  file: string;
}

/** The secret files of clusters below `.slipway`, 0600, in the form the cluster file wants. A plain copy never exists. */
export interface SecretFiles {
  folder: string;
  /** Knows whatever was read or written here. */
  redaction: Redaction;
  /** Where it is written; it may still lie there in another form. */
  fileOf(cluster: string, name: string): string;
  /** Who may open what is encrypted for the cluster; undefined where the cluster file names nobody. */
  readers(cluster: string): Promise<Readers | undefined>;
  /** What opens it, as far as it is at hand. */
  keys(cluster: string): AgeKeys;
  /** Whether the cluster file wants it. */
  isEncrypted(cluster: string): boolean;
  /** Undefined when there is none. With encryption, throws before anything is made that could not be read again. */
  read(cluster: string, name: string): Promise<string | undefined>;
  /** Gives back what lies there now: this text, or what there was already, which stays as it is. */
  writeOnce(cluster: string, name: string, text: string): Promise<{ text: string; isOurs: boolean }>;
  /** What was there goes when the new file is on the disk and has been opened from it. */
  replace(cluster: string, name: string, text: string): Promise<void>;
  /** Bytes that hold secrets, in place of those before, with age where the cluster file wants encryption. Gives back the file. */
  keepBytes(cluster: string, name: string, bytes: Uint8Array): Promise<string>;
  remove(cluster: string, name: string): Promise<void>;
  /** Files of these names, in every form they lie in. */
  list(cluster: string): Promise<KeptFile[]>;
  /** The content of one file, told by what is in it, with the keys of the cluster whose folder it lies in. */
  openFile(file: string): Promise<string>;
  /** Names of the clusters that have a folder. */
  clusters(): Promise<string[]>;
}

export interface SecretFilesOptions {
  folder: string;
  random: Random;
  clock: Pick<Clock, "now">;
  keys: AgeKeys;
  atRest(cluster: string): SecretsAtRest | undefined;
  resolveSecret(ref: SecretRef, what: string): Promise<string>;
  redaction: Redaction;
}

/** Without encryption: the default. */
export const plainFiles = (folder: string, random: Random): SecretFiles =>
  secretFiles({
    folder,
    random,
    clock: { now: () => 0 },
    keys: noKeys,
    atRest: () => undefined,
    resolveSecret: () => Promise.reject(new Error("plain files need no secret")),
    redaction: new Redaction(),
  });

export function secretFiles(options: SecretFilesOptions): SecretFiles {
  const { folder, random, atRest, redaction } = options;
  const placeOf = (cluster: string, name: string, form: Form): string => {
    for (const part of [cluster, name.replace(/^ssh\//, "")])
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(part)) throw clusterNameUnsafe({ cluster: part });
    return path.join(folder, cluster, nameInForm(name, form));
  };
  const formFor = (cluster: string): Form => atRest(cluster)?.encryption ?? "plain";

  const passphraseOf = (cluster: string, ref: SecretRef) =>
    options.resolveSecret(ref, `the passphrase of the secrets of "${cluster}"`);
  const encryptionOf = async (cluster: string): Promise<Encryption | undefined> => {
    const wanted = atRest(cluster);
    if (!wanted) return undefined;
    if ("recipients" in wanted)
      return { form: wanted.encryption, readers: { recipients: wanted.recipients } };
    return { form: "age", readers: { passphrase: await passphraseOf(cluster, wanted.passphrase) } };
  };
  const keysOf = (cluster: string): AgeKeys => {
    const wanted = atRest(cluster);
    if (!wanted || !("passphrase" in wanted)) return options.keys;
    return withPassphrase(options.keys, () => passphraseOf(cluster, wanted.passphrase));
  };

  const encodeFor = async (cluster: string, name: string, text: string): Promise<string> =>
    encode(text, name, await encryptionOf(cluster), { random, now: options.clock.now() });

  /** Opened again with the keys at hand: what nobody can open would lose the cluster for good. */
  const proveFor =
    (cluster: string, name: string, text: string) =>
    async (written: Buffer): Promise<void> => {
      const form = formFor(cluster);
      const file = placeOf(cluster, name, form);
      const opened = await decode(written, form, file, keysOf(cluster)).catch(() => {
        const wanted = atRest(cluster);
        const readers = wanted && "recipients" in wanted ? wanted.recipients : [];
        throw lockedOut({ cluster, readers, places: options.keys.places });
      });
      if (!saysTheSame(name, opened, text)) throw notAsWritten({ file });
    };
  const canOpen = new Map<string, Promise<unknown>>();
  const demandKey = async (cluster: string): Promise<void> => {
    if (!atRest(cluster)) return;
    const probe = async () =>
      proveFor(cluster, "probe", "probe")(Buffer.from(await encodeFor(cluster, "probe", "probe")));
    const tried = canOpen.get(cluster) ?? probe();
    canOpen.set(cluster, tried);
    await tried;
  };

  const find = async (cluster: string, name: string): Promise<(KeptFile & { bytes: Buffer }) | undefined> => {
    const wanted = formFor(cluster);
    for (const form of [wanted, ...forms.filter((other) => other !== wanted)]) {
      const file = placeOf(cluster, name, form);
      const bytes = await readIfThere(file);
      if (bytes) return { name, form, file, bytes };
    }
    return undefined;
  };

  const list = async (cluster: string): Promise<KeptFile[]> => {
    const inFolder = await readdir(path.join(folder, cluster)).catch((): string[] => []);
    const inSsh = await readdir(path.join(folder, cluster, "ssh")).catch((): string[] => []);
    return [...inFolder, ...inSsh.map((name) => `ssh/${name}`)].flatMap((found) => {
      const { name, form } = formOf(found);
      return isSecretName(name) ? [{ name, form, file: path.join(folder, cluster, found) }] : [];
    });
  };

  const read = async (cluster: string, name: string): Promise<string | undefined> => {
    const found = await find(cluster, name);
    if (found)
      return registerSecretsIn(
        redaction,
        name,
        await decode(found.bytes, found.form, found.file, keysOf(cluster)),
      );
    await demandKey(cluster);
    return undefined;
  };

  const write = async <T>(
    cluster: string,
    name: string,
    text: string,
    how: (file: string, encoded: string, options: WriteOptions) => Promise<T>,
  ): Promise<T> => {
    registerSecretsIn(redaction, name, text);
    const file = fileOf(cluster, name);
    const encoded = await encodeFor(cluster, name, text);
    try {
      // Before the first secret lies there.
      await hideFromGit(folder, formFor(cluster) !== "plain");
      return await how(file, encoded, { prove: proveFor(cluster, name, text) });
    } catch (thrown) {
      if (thrown instanceof SlipwayError) throw thrown;
      throw bundleNotWritten({ file, cause: thrown });
    }
  };

  const fileOf = (cluster: string, name: string): string => placeOf(cluster, name, formFor(cluster));

  return {
    folder,
    redaction,
    list,
    fileOf,
    readers: async (cluster) => (await encryptionOf(cluster))?.readers,
    keys: keysOf,
    isEncrypted: (cluster) => formFor(cluster) !== "plain",
    read,
    async writeOnce(cluster, name, text) {
      const isOurs = !(await find(cluster, name)) && (await write(cluster, name, text, createFile));
      if (isOurs) return { text, isOurs };
      // Another process was faster; what it wrote is the cluster's.
      const kept = await read(cluster, name);
      if (kept === undefined) throw bundleVanished({ file: fileOf(cluster, name) });
      return { text: kept, isOurs };
    },
    async replace(cluster, name, text) {
      await write(cluster, name, text, replaceFile);
      const others = forms.filter((each) => each !== formFor(cluster));
      await removeFiles(others.map((form) => placeOf(cluster, name, form)));
    },
    async keepBytes(cluster, name, bytes) {
      const encryption = await encryptionOf(cluster);
      const file = placeOf(cluster, name, encryption ? "age" : "plain");
      await hideFromGit(folder, encryption !== undefined);
      await replaceFile(file, encryption ? await encryptAge(bytes, encryption.readers, random) : bytes);
      return file;
    },
    async remove(cluster, name) {
      await removeFiles(forms.map((form) => placeOf(cluster, name, form)));
    },
    async openFile(file) {
      const [cluster = ""] = path.relative(path.resolve(folder), file).split(path.sep);
      const bytes = await readIfThere(file);
      if (!bytes) throw bundleUnreadable({ file, cause: new Error("there is no such file") });
      return decode(bytes, formIn(bytes), file, keysOf(cluster));
    },
    async clusters() {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    },
  };
}

const secretNames = new Set(["secrets.yaml", "k3s-secrets.yaml", "rancher.yaml", "proxmox-account.yaml"]);

const isSecretName = (name: string): boolean =>
  secretNames.has(name) || /^ssh\/(id_ed25519|host-[^/]+)$/.test(name);

/** Stand beside secrets, are told everywhere, and are none. */
const openKeys = new Set(["url", "token_id", "region", "insecure", "hostname"]);
const shortestSecret = 16;

/** The text as it is; from now on nothing that it keeps secret is told. */
function registerSecretsIn(redaction: Redaction, name: string, text: string): string {
  if (name.endsWith(".yaml")) for (const secret of secretsInYaml(text)) redaction.register(secret);
  else redaction.register(text);
  return text;
}

/** Whatever is long enough to be a secret. A file that cannot be read is for others to explain. */
function secretsInYaml(text: string): string[] {
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string" && value.length >= shortestSecret) found.push(value);
    if (typeof value !== "object" || value === null) return;
    for (const [key, part] of Object.entries(value)) if (!openKeys.has(key)) collect(part);
  };
  for (const document of parseAllDocuments(text)) if (document.errors.length === 0) collect(document.toJS());
  return found;
}

/** SOPS writes YAML in its own way; what counts is the data. */
export const saysTheSame = (name: string, opened: string, text: string): boolean =>
  opened === text || (name.endsWith(".yaml") && stableJson(parse(opened)) === stableJson(parse(text)));

/** A link that leads nowhere is no missing file: whoever put it there has the secrets somewhere else. */
async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw bundleUnreadable({ file, cause: error });
    const target = await readlink(file).catch(() => undefined);
    if (target !== undefined) throw linkBroken({ file, target });
    return undefined;
  }
}
