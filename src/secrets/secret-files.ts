import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { replaceFile, type Clock, type Random } from "../lib/index.ts";
import type { SecretRef, SecretsAtRest } from "../spec/index.ts";
import { noKeys, withPassphrase, type AgeKeys } from "./age-keys.ts";
import { decode, encode, formIn, formOf, forms, nameInForm, type Encryption, type Form } from "./at-rest.ts";
import { bundleNotWritten, bundleUnreadable, clusterNameUnsafe, lockedOut } from "./errors.ts";
import { learned } from "./learned.ts";
import { hasCode, hideFromGit, writeOnce } from "./write-once.ts";

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
  /** Where it is written; it may still lie there in another form. */
  fileOf(cluster: string, name: string): string;
  /** Whether the cluster file wants it. */
  isEncrypted(cluster: string): boolean;
  /** Undefined when there is none. With encryption, throws before anything is made that could not be read again. */
  read(cluster: string, name: string): Promise<string | undefined>;
  /** False when there was one already, which stays as it is. */
  writeOnce(cluster: string, name: string, text: string): Promise<boolean>;
  replace(cluster: string, name: string, text: string): Promise<void>;
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
  });

export function secretFiles(options: SecretFilesOptions): SecretFiles {
  const { folder, random, atRest } = options;
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

  /** Encrypted so that we can open it again: a key that nobody has would lose the cluster for good. */
  const encodeFor = async (cluster: string, name: string, text: string): Promise<string> => {
    const encryption = await encryptionOf(cluster);
    const encoded = await encode(text, name, encryption, { random, now: options.clock.now() });
    if (!encryption) return encoded;
    const file = placeOf(cluster, name, encryption.form);
    const readers = "recipients" in encryption.readers ? encryption.readers.recipients : [];
    await decode(Buffer.from(encoded), encryption.form, file, keysOf(cluster)).catch(() => {
      throw lockedOut({ cluster, readers, places: options.keys.places });
    });
    return encoded;
  };
  const canOpen = new Map<string, Promise<unknown>>();
  const demandKey = async (cluster: string): Promise<void> => {
    if (!atRest(cluster)) return;
    const tried = canOpen.get(cluster) ?? encodeFor(cluster, "probe", "probe");
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

  return {
    folder,
    list,
    fileOf: (cluster, name) => placeOf(cluster, name, formFor(cluster)),
    isEncrypted: (cluster) => formFor(cluster) !== "plain",
    async read(cluster, name) {
      const found = await find(cluster, name);
      if (found) return learned(name, await decode(found.bytes, found.form, found.file, keysOf(cluster)));
      await demandKey(cluster);
      return undefined;
    },
    async writeOnce(cluster, name, text) {
      learned(name, text);
      if (await find(cluster, name)) return false;
      const file = placeOf(cluster, name, formFor(cluster));
      const encoded = await encodeFor(cluster, name, text);
      return writeOnce(file, encoded, { folder, random, isEncrypted: atRest(cluster) !== undefined }).catch(
        (cause: unknown) => {
          throw bundleNotWritten({ file, cause });
        },
      );
    },
    async replace(cluster, name, text) {
      learned(name, text);
      const form = formFor(cluster);
      const encoded = await encodeFor(cluster, name, text);
      await replaceFile(placeOf(cluster, name, form), encoded);
      await hideFromGit(folder, form !== "plain");
      for (const other of forms.filter((each) => each !== form))
        await rm(placeOf(cluster, name, other), { force: true });
    },
    async remove(cluster, name) {
      for (const form of forms) await rm(placeOf(cluster, name, form), { force: true });
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

const isSecretName = (name: string): boolean =>
  name === "secrets.yaml" || name === "proxmox-account.yaml" || /^ssh\/(id_ed25519|host-[^/]+)$/.test(name);

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw bundleUnreadable({ file, cause: error });
  }
}
