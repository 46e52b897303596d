import { readFile } from "node:fs/promises";
import path from "node:path";
import { newSshKey, sshPublicKey, type Random, type SshKeyPair } from "../lib/index.ts";
import { bundleNotWritten, bundleUnreadable, clusterNameUnsafe, sshKeyDamaged } from "./errors.ts";
import { hasCode, writeOnce } from "./write-once.ts";

/** SSH keys in `<folder>/<cluster>/ssh/`, 0600: made once, found again, never overwritten. */
export interface SshKeyStore {
  /** Slipway's own key, which every machine of the cluster lets in. */
  login(cluster: string): Promise<SshKeyPair>;
  /** What a machine proves itself with; known before it first starts. */
  host(cluster: string, node: string): Promise<SshKeyPair>;
  /** Both of a machine as they are; undefined before they are made, or when they are lost. */
  find(cluster: string, node: string): Promise<{ login: SshKeyPair; host: SshKeyPair } | undefined>;
  /** The private key of `login`, for people and their tools. */
  loginFile(cluster: string): string;
}

export function sshKeyStore({ folder, random }: { folder: string; random: Random }): SshKeyStore {
  const running = new Map<string, Promise<SshKeyPair>>();
  const fileOf = (cluster: string, name: string): string => {
    for (const part of [cluster, name])
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(part)) throw clusterNameUnsafe({ cluster: part });
    return path.join(folder, cluster, "ssh", name);
  };
  const make = async (file: string): Promise<SshKeyPair> => {
    const found = await readKey(file);
    if (found) return found;
    const key = newSshKey(random);
    const isOurs = await writeOnce(file, key.private, { folder, random }).catch((cause: unknown) => {
      throw bundleNotWritten({ file, cause });
    });
    // Another process may have been faster; then its key is the one.
    return isOurs ? key : ((await readKey(file)) ?? key);
  };
  const ensure = (file: string): Promise<SshKeyPair> => {
    const key = running.get(file) ?? make(file);
    running.set(file, key);
    return key;
  };
  const loginFile = (cluster: string): string => fileOf(cluster, "id_ed25519");
  const hostFile = (cluster: string, node: string): string => fileOf(cluster, `host-${node}`);
  return {
    login: async (cluster) => ensure(loginFile(cluster)),
    host: async (cluster, node) => ensure(hostFile(cluster, node)),
    async find(cluster, node) {
      const [login, host] = await Promise.all([
        readKey(loginFile(cluster)),
        readKey(hostFile(cluster, node)),
      ]);
      return login && host && { login, host };
    },
    loginFile,
  };
}

async function readKey(file: string): Promise<SshKeyPair | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw bundleUnreadable({ file, cause: error });
  }
  const open = sshPublicKey(text);
  if (open === undefined) throw sshKeyDamaged({ file });
  return { private: text, public: open };
}
