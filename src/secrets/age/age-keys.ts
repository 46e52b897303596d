import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { sshPublicKey, loadSsh2, whileTimeStands } from "../../lib/index.ts";
import { decryptAge, isAgeFile, loadAge } from "./age-file.ts";
import type { AgeKey, AgeKeys } from "./file-key.ts";
import { passphraseIdentity } from "./passphrase.ts";
import { sshIdentity } from "./ssh-keys.ts";

export interface KeySources {
  env: NodeJS.ProcessEnv;
  home?: string;
  platform?: NodeJS.Platform;
  /** Only where somebody can answer. */
  ask?: ((question: string) => Promise<string>) | undefined;
}

interface Place {
  name: string;
  file: string;
}

/** Keys where `sops` and `age` have theirs: variables, the key file of sops, SSH keys. */
export function ageKeys({
  env,
  home = env["HOME"] ?? os.homedir(),
  platform = os.platform(),
  ask,
}: KeySources): AgeKeys {
  const places = [...keyFiles(env, home, platform), ...sshFiles(env, home)];
  const inVariable = linesOf(env["SOPS_AGE_KEY"] ?? "");
  let found: Promise<Found> | undefined;
  return {
    places: ["$SOPS_AGE_KEY", ...places.map(({ name }) => name)],
    async *identities() {
      yield* inVariable;
      const { open, guarded } = await (found ??= readPlaces(places, ask));
      yield* open;
      for (const key of guarded) yield* await key();
      if (ask) yield passphraseIdentity(() => ask("Passphrase of the file: "));
    },
  };
}

export const noKeys: AgeKeys = { places: [], async *identities() {} };

/** Those of a text that is written as a key file is. */
export function keysIn(text: string, place: string): AgeKeys {
  const lines = linesOf(text);
  return {
    places: [place],
    async *identities() {
      yield* lines;
    },
  };
}

/** The public half of the first age key among them; undefined where there is none. */
export async function recipientOf(keys: AgeKeys): Promise<string | undefined> {
  const { identityToRecipient } = await loadAge();
  for await (const key of keys.identities())
    if (typeof key === "string") return whileTimeStands(() => identityToRecipient(key));
  return undefined;
}

/** A passphrase before all else; it is fetched only for files that were closed with one. */
export const withPassphrase = (keys: AgeKeys, passphrase: () => Promise<string>): AgeKeys => ({
  places: keys.places,
  async *identities() {
    yield passphraseIdentity(passphrase);
    yield* keys.identities();
  },
});

interface Found {
  open: AgeKey[];
  /** Each is opened once, with a question. */
  guarded: (() => Promise<AgeKey[]>)[];
}

async function readPlaces(places: Place[], ask: KeySources["ask"]): Promise<Found> {
  const found: Found = { open: [], guarded: [] };
  for (const { file } of places) {
    const bytes = await readFile(file).catch(() => undefined);
    if (!bytes) continue;
    const text = bytes.toString("utf8");
    const isSsh = text.includes("-----BEGIN OPENSSH PRIVATE KEY-----");
    if (isSsh) found.open.push(...sshKeyIn(text, file, ask));
    else if (!isAgeFile(bytes)) found.open.push(...linesOf(text));
    else if (ask) found.guarded.push(once(() => openKeyFile(bytes, file, ask)));
  }
  return found;
}

/** Its public part tells whether a file is meant for it, before anybody is asked for a passphrase. */
function sshKeyIn(text: string, file: string, ask: KeySources["ask"]): AgeKey[] {
  const line = sshPublicKey(text);
  if (line === undefined) return [];
  const seed = once(async () => {
    const open = await sshSeed(text);
    if (open || !ask) return open;
    return sshSeed(text, await ask(`Passphrase of ${file}: `));
  });
  return [sshIdentity(line, seed)];
}

/** A key file that is itself closed with a passphrase, as `age -p` does. */
async function openKeyFile(
  bytes: Buffer,
  file: string,
  ask: NonNullable<KeySources["ask"]>,
): Promise<AgeKey[]> {
  const keys = {
    places: [],
    identities: () => one(passphraseIdentity(() => ask(`Passphrase of ${file}: `))),
  };
  const text = await decryptAge(bytes, keys).catch(() => undefined);
  return linesOf(text?.toString("utf8") ?? "");
}

async function* one(key: AgeKey): AsyncGenerator<AgeKey> {
  yield key;
}

function keyFiles(env: NodeJS.ProcessEnv, home: string, platform: NodeJS.Platform): Place[] {
  const named = ["SLIPWAY_AGE_KEY_FILE", "SOPS_AGE_KEY_FILE"].flatMap((name) => {
    const file = env[name];
    return file === undefined || file === "" ? [] : [{ name: `$${name}`, file }];
  });
  const ours =
    platform === "darwin" ? path.join(home, "Library/Application Support") : path.join(home, ".config");
  const usual = path.join(env["XDG_CONFIG_HOME"] ?? ours, "sops/age/keys.txt");
  return [...named, { name: usual, file: usual }];
}

function sshFiles(env: NodeJS.ProcessEnv, home: string): Place[] {
  const named = env["SOPS_AGE_SSH_PRIVATE_KEY_FILE"];
  const usual = path.join(home, ".ssh/id_ed25519");
  return [
    ...(named === undefined || named === "" ? [] : [{ name: "$SOPS_AGE_SSH_PRIVATE_KEY_FILE", file: named }]),
    { name: usual, file: usual },
  ];
}

/** A key file has one key on a line, and comments. Keys of plugins need their program, and are left out. */
const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => /^AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]+$/.test(line));

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** What an Ed25519 key of OpenSSH is made from; undefined when it is another's, or the passphrase is not its own. */
async function sshSeed(text: string, passphrase?: string): Promise<Buffer | undefined> {
  const ssh2 = await loadSsh2();
  const parsed = ssh2.utils.parseKey(text, passphrase);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!key || key instanceof Error || key.type !== "ssh-ed25519") return undefined;
  const { d } = createPrivateKey(key.getPrivatePEM()).export({ format: "jwk" });
  return d === undefined ? undefined : Buffer.from(d, "base64url");
}
