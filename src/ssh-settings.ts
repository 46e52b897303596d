import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Hop, KeySource, SshConfig } from "./clients/ssh/index.ts";

/** What the cluster file or an address says about a login; it comes before the user's own settings. */
export interface OwnSettings {
  user?: string;
  port?: number;
  keyFile?: string;
  passphrase?: () => Promise<string>;
  knownHostsFile?: string;
  acceptsNew?: boolean;
}

/** The user's own SSH: ~/.ssh/config, the usual keys, the agent, known hosts. */
export interface SshSettings {
  about(host: string): Promise<SshConfig>;
  hop(host: string, own: OwnSettings): Promise<Hop>;
}

export function sshSettings(env: NodeJS.ProcessEnv): SshSettings {
  const home = env["HOME"] ?? os.homedir();
  const atHome = (file: string): string => file.replace(/^~(?=\/)/, home);
  let text: Promise<string> | undefined;
  const about = async (host: string): Promise<SshConfig> => {
    // Loaded here: most commands never need it.
    const { readSshConfig, sshConfigFor } = await import("./clients/ssh/index.ts");
    text ??= readSshConfig(home);
    return sshConfigFor(await text, host, home);
  };
  return {
    about,
    async hop(host, own) {
      const said = await about(host);
      const port = own.port ?? said.port;
      const agent = env["SSH_AUTH_SOCK"];
      const named = own.knownHostsFile === undefined ? said.knownHostsFiles : [atHome(own.knownHostsFile)];
      const [first, ...others] = named.length > 0 ? named : [path.join(home, ".ssh/known_hosts")];
      const files = [first, ...others].flatMap((file) => file ?? []);
      const keys = keyFiles(own.keyFile && atHome(own.keyFile), said.identityFiles, home);
      const certificates = [...said.certificateFiles, ...keys.map((key) => `${key}-cert.pub`)];
      return {
        host: said.hostName ?? host,
        user: own.user ?? said.user ?? env["USER"] ?? "root",
        ...(port !== undefined && { port }),
        keys: keys.map((file): KeySource => ({
          file,
          ...(own.passphrase && { passphrase: own.passphrase }),
        })),
        certificates: certificates.filter((file) => existsSync(file)),
        ...(agent !== undefined && { agent }),
        knownHosts: {
          files: own.knownHostsFile === undefined ? [...files, "/etc/ssh/ssh_known_hosts"] : files,
          ...((own.acceptsNew ?? said.acceptsNew) === true && {
            trustOnFirstUse: first === undefined ? {} : { writeTo: first },
          }),
        },
      };
    },
  };
}

const usualKeys = ["id_ed25519", "id_ecdsa", "id_rsa"];

/** What is named must be there; of the usual ones, those that are. */
function keyFiles(own: string | undefined, configured: string[], home: string): string[] {
  if (own !== undefined) return [own];
  if (configured.length > 0) return configured.filter((file) => existsSync(file));
  return usualKeys.map((name) => path.join(home, ".ssh", name)).filter((file) => existsSync(file));
}
