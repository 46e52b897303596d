import { newSshKey, sshPublicKey, type Random, type SshKeyPair } from "../lib/index.ts";
import { sshKeyDamaged } from "./errors.ts";
import { plainFiles, type SecretFiles } from "./files/secret-files.ts";

/** SSH keys in `<folder>/<cluster>/ssh/`, 0600: made once, found again, never overwritten. */
export interface SshKeyStore {
  /** Slipway's own key, which every machine of the cluster lets in. */
  login(cluster: string): Promise<SshKeyPair>;
  /** What a machine proves itself with; known before it first starts. */
  host(cluster: string, node: string): Promise<SshKeyPair>;
  /** Both of a machine as they are; undefined before they are made, or when they are lost. */
  find(cluster: string, node: string): Promise<{ login: SshKeyPair; host: SshKeyPair } | undefined>;
  /** Only the one to log in with, as it is; for machines that made their host key themselves. */
  findLogin(cluster: string): Promise<SshKeyPair | undefined>;
  /** One that is to take the place of `login`: made once, found again until it has. */
  nextLogin(cluster: string): Promise<SshKeyPair>;
  /** It takes that place now; the public part of the one before is kept until it is forgotten. */
  promoteLogin(cluster: string): Promise<void>;
  /** Public; undefined where none is left to be shut out. */
  formerLogin(cluster: string): Promise<string | undefined>;
  forgetFormerLogin(cluster: string): Promise<void>;
  /** A lost host key, as it was read back from its machine. */
  adoptHost(cluster: string, node: string, text: string): Promise<void>;
  /** The private key of `login`, for people and their tools; they cannot use it where it is encrypted. */
  loginFile(cluster: string): string;
}

export function sshKeyStore({
  folder,
  random,
  files = plainFiles(folder, random),
}: {
  folder: string;
  random: Random;
  files?: SecretFiles;
}): SshKeyStore {
  const running = new Map<string, Promise<SshKeyPair>>();
  const keyIn = (cluster: string, name: string, text: string): SshKeyPair => {
    const open = sshPublicKey(text);
    if (open === undefined) throw sshKeyDamaged({ file: files.fileOf(cluster, name) });
    return { private: text, public: open };
  };
  const readKey = async (cluster: string, name: string): Promise<SshKeyPair | undefined> => {
    const text = await files.read(cluster, name);
    return text === undefined ? undefined : keyIn(cluster, name, text);
  };
  const make = async (cluster: string, name: string): Promise<SshKeyPair> => {
    const found = await readKey(cluster, name);
    if (found) return found;
    const key = newSshKey(random);
    // Another process may have been faster; then its key is the one.
    const kept = await files.writeOnce(cluster, name, key.private);
    return kept.isOurs ? key : keyIn(cluster, name, kept.text);
  };
  const ensure = (cluster: string, name: string): Promise<SshKeyPair> => {
    const id = `${cluster}/${name}`;
    const key = running.get(id) ?? make(cluster, name);
    running.set(id, key);
    return key;
  };
  return {
    login: async (cluster) => ensure(cluster, loginName),
    host: async (cluster, node) => ensure(cluster, hostName(node)),
    async find(cluster, node) {
      const [login, host] = await Promise.all([
        readKey(cluster, loginName),
        readKey(cluster, hostName(node)),
      ]);
      return login && host && { login, host };
    },
    findLogin: (cluster) => readKey(cluster, loginName),
    async nextLogin(cluster) {
      const [login, next] = await Promise.all([readKey(cluster, loginName), readKey(cluster, nextName)]);
      // It is in its place already, and only its file was left.
      if (next && next.public === login?.public) await files.remove(cluster, nextName);
      return make(cluster, nextName);
    },
    async promoteLogin(cluster) {
      const [old, next] = await Promise.all([readKey(cluster, loginName), readKey(cluster, nextName)]);
      if (!next) return;
      if (old && old.public !== next.public) await files.replace(cluster, formerName, `${old.public}\n`);
      await files.replace(cluster, loginName, next.private);
      await files.remove(cluster, nextName);
      running.delete(`${cluster}/${loginName}`);
    },
    formerLogin: async (cluster) => (await files.read(cluster, formerName))?.trim(),
    forgetFormerLogin: (cluster) => files.remove(cluster, formerName),
    async adoptHost(cluster, node, text) {
      const name = hostName(node);
      await files.writeOnce(cluster, name, keyIn(cluster, name, text).private);
    },
    loginFile: (cluster) => files.fileOf(cluster, loginName),
  };
}

const loginName = "ssh/id_ed25519";
const nextName = "ssh/next_ed25519";
const formerName = "ssh/former_ed25519.pub";
const hostName = (node: string): string => `ssh/host-${node}`;
