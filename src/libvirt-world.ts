import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { LibvirtClient, SshUri } from "./clients/libvirt/index.ts";
import type { Hop, SshConnection } from "./clients/ssh/index.ts";
import { SlipwayError } from "./errors/index.ts";
import type { Dial } from "./lib/index.ts";
import type { LibvirtHost } from "./spec/index.ts";

/** Opens the libvirt of a host: on this machine, or through SSH as the user's own settings say. */
export async function connectHost(
  host: LibvirtHost,
  env: NodeJS.ProcessEnv,
  dial: Dial,
): Promise<LibvirtClient> {
  // Loaded here: who has no such host never needs it.
  const { libvirtConnector, openLibvirt, parseLibvirtUri } = await import("./clients/libvirt/index.ts");
  const parsed = parseLibvirtUri(host.libvirt.uri);
  if ("problems" in parsed) throw badUri(host, parsed.problems);
  const runtimeFolder = env["XDG_RUNTIME_DIR"];
  const connector = libvirtConnector(parsed.uri, {
    dial,
    ssh: (uri) => login(uri, env, dial),
    ...(runtimeFolder !== undefined && { runtimeFolder }),
  });
  const client = await openLibvirt(connector);
  return {
    ...client,
    close() {
      client.close();
      connector.close();
    },
  };
}

async function login(uri: SshUri, env: NodeJS.ProcessEnv, dial: Dial): Promise<SshConnection> {
  const { connectThrough, sshConfigFor } = await import("./clients/ssh/index.ts");
  const home = env["HOME"] ?? os.homedir();
  const text = await readFile(path.join(home, ".ssh/config"), "utf8").catch(() => "");
  const hop = (host: string, own: Partial<SshUri>): Hop => {
    const said = sshConfigFor(text, host, home);
    const port = own.port ?? said.port;
    const agent = env["SSH_AUTH_SOCK"];
    const known =
      own.knownHostsFile === undefined ? said.knownHostsFiles : [atHome(own.knownHostsFile, home)];
    const files = known.length > 0 ? known : [path.join(home, ".ssh/known_hosts")];
    return {
      host: said.hostName ?? host,
      user: own.user ?? said.user ?? env["USER"] ?? "root",
      ...(port !== undefined && { port }),
      keys: keyFiles(own.keyFile, said.identityFiles, home).map((file) => ({ file })),
      ...(agent !== undefined && { agent }),
      knownHosts: { files, ...(own.acceptsUnknownHost === true && { trustOnFirstUse: {} }) },
    };
  };
  const { jumps } = sshConfigFor(text, uri.host, home);
  const target = hop(uri.host, uri);
  const [nearest, ...further] = jumps.map(({ host, ...own }) => hop(host, own));
  return connectThrough(nearest ? [nearest, ...further, target] : [target], dial);
}

const atHome = (file: string, home: string): string => file.replace(/^~(?=\/)/, home);

const usualKeys = ["id_ed25519", "id_ecdsa", "id_rsa"];

/** What is named must be there; of the usual ones, those that are. */
function keyFiles(own: string | undefined, configured: string[], home: string): string[] {
  if (own !== undefined) return [atHome(own, home)];
  if (configured.length > 0) return configured.filter((file) => existsSync(file));
  return usualKeys.map((name) => path.join(home, ".ssh", name)).filter((file) => existsSync(file));
}

const badUri = (host: LibvirtHost, problems: string[]) =>
  new SlipwayError({
    code: "LIBVIRT_BAD_URI",
    what: `Cannot reach libvirt of host "${host.name}"`,
    why: problems.join("; "),
    next: "Write uri: qemu:///system, or qemu+ssh://USER@HOST/system",
    at: host.at,
  });
