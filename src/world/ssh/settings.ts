import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { CallTrace } from "../../lib/index.ts";
import type { JumpHost, KeySource, SshConfig } from "../../clients/ssh/index.ts";

/** What the cluster file or an address says about a login; it comes before the user's own settings. */
export interface OwnSettings {
  user?: string | undefined;
  port?: number | undefined;
  keyFile?: string | undefined;
  passphrase?: (() => Promise<string>) | undefined;
  knownHostsFile?: string | undefined;
  acceptsNew?: boolean | undefined;
}

/** The user's own SSH: ~/.ssh/config, the usual keys, the agent, known hosts. */
export interface SshSettings {
  about(host: string): Promise<SshConfig>;
  jumpHost(host: string, own: OwnSettings): Promise<JumpHost>;
  /** What about a host only the ssh program can do; undefined: nothing, we can log in to it ourselves. */
  onlyByProgram(host: string, own: OwnSettings): Promise<string | undefined>;
}

/** `ask` is for passphrases, and absent where nobody can answer. */
export function sshSettings(
  env: NodeJS.ProcessEnv,
  ask?: (question: string) => Promise<string>,
  calls?: CallTrace,
): SshSettings {
  const askFor = ask && passphrases(ask);
  const home = env["HOME"] ?? os.homedir();
  const atHome = (file: string): string => file.replace(/^~(?=\/)/, home);
  let text: Promise<string> | undefined;
  const about = async (host: string): Promise<SshConfig> => {
    // Loaded here: most commands never need it.
    const { readSshConfig, sshConfigFor } = await import("../../clients/ssh/index.ts");
    text ??= readSshConfig(home);
    return sshConfigFor(await text, host, home);
  };
  const settings: SshSettings = {
    about,
    async jumpHost(host, own) {
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
        port,
        keys: keys.map((file): KeySource => ({
          file,
          passphrase: own.passphrase,
          ask: askFor && ((isAgain: boolean) => askFor(file, isAgain)),
        })),
        calls,
        certificates: certificates.filter((file) => existsSync(file)),
        agent,
        knownHosts: {
          files: own.knownHostsFile === undefined ? [...files, "/etc/ssh/ssh_known_hosts"] : files,
          ...((own.acceptsNew ?? said.acceptsNew) === true && {
            trustOnFirstUse: first === undefined ? {} : { writeTo: first },
          }),
        },
      };
    },
    async onlyByProgram(host, own) {
      const { onlyByProgram } = await import("../../clients/ssh/index.ts");
      const jumpHost = await settings.jumpHost(host, own);
      const keys =
        (jumpHost.keys ?? []).length > 0
          ? jumpHost.keys
          : usualOf(securityKeys, home).map((file) => ({ file }));
      return onlyByProgram({ ...jumpHost, keys });
    },
  };
  return settings;
}

/** Each is asked for once, however many hosts it opens, and one after the other. */
function passphrases(ask: (question: string) => Promise<string>) {
  const answers = new Map<string, Promise<string>>();
  let last: Promise<unknown> = Promise.resolve();
  return (file: string, isAgain: boolean): Promise<string> => {
    const known = answers.get(file);
    if (known && !isAgain) return known;
    const question = `${isAgain ? "That does not open it. " : ""}Passphrase of ${file}: `;
    const answer = last.then(() => ask(question));
    last = answer.catch(() => undefined);
    answers.set(file, answer);
    return answer;
  };
}

const usualKeys = ["id_ed25519", "id_ecdsa", "id_rsa"];
/** Only looked at where there are no others. */
const securityKeys = ["id_ed25519_sk", "id_ecdsa_sk"];

/** What is named must be there; of the usual ones, those that are. */
function keyFiles(own: string | undefined, configured: string[], home: string): string[] {
  if (own !== undefined) return [own];
  if (configured.length > 0) return configured.filter((file) => existsSync(file));
  return usualOf(usualKeys, home);
}

const usualOf = (names: string[], home: string): string[] =>
  names.map((name) => path.join(home, ".ssh", name)).filter((file) => existsSync(file));
