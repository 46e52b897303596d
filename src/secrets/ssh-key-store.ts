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
    loginFile: (cluster) => files.fileOf(cluster, loginName),
  };
}

const loginName = "ssh/id_ed25519";
const hostName = (node: string): string => `ssh/host-${node}`;
