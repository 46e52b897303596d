import type { LibvirtClient, SshUri } from "./clients/libvirt/index.ts";
import type { SshConnection } from "./clients/ssh/index.ts";
import { SlipwayError } from "./errors/index.ts";
import type { Dial } from "./lib/index.ts";
import type { LibvirtHost } from "./spec/index.ts";
import type { SshSettings } from "./ssh-settings.ts";

/** Opens the libvirt of a host: on this machine, or through SSH as the user's own settings say. */
export async function connectHost(
  host: LibvirtHost,
  { env, settings, dial }: { env: NodeJS.ProcessEnv; settings: SshSettings; dial: Dial },
): Promise<LibvirtClient> {
  // Loaded here: who has no such host never needs it.
  const { libvirtConnector, openLibvirt, parseLibvirtUri } = await import("./clients/libvirt/index.ts");
  const parsed = parseLibvirtUri(host.libvirt.uri);
  if ("problems" in parsed) throw badUri(host, parsed.problems);
  const runtimeFolder = env["XDG_RUNTIME_DIR"];
  const connector = libvirtConnector(parsed.uri, {
    dial,
    ssh: (uri) => login(uri, settings, { dial, isDirect: host.jump === undefined }),
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

async function login(
  uri: SshUri,
  settings: SshSettings,
  { dial, isDirect }: { dial: Dial; isDirect: boolean },
): Promise<SshConnection> {
  const { connectThrough } = await import("./clients/ssh/index.ts");
  const { knownHosts, ...target } = await settings.hop(uri.host, uri);
  // Asked not to look, nothing is remembered either.
  const trust = uri.acceptsUnknownHost ? { ...knownHosts, trustOnFirstUse: {} } : knownHosts;
  const { jumps } = await settings.about(uri.host);
  // The cluster file knows another way.
  const own = isDirect ? jumps : [];
  const [nearest, ...further] = await Promise.all(own.map(({ host, ...said }) => settings.hop(host, said)));
  const last = { ...target, knownHosts: trust };
  return connectThrough(nearest ? [nearest, ...further, last] : [last], dial);
}

const badUri = (host: LibvirtHost, problems: string[]) =>
  new SlipwayError({
    code: "LIBVIRT_BAD_URI",
    what: `Cannot reach libvirt of host "${host.name}"`,
    why: problems.join("; "),
    next: "Write uri: qemu:///system, or qemu+ssh://USER@HOST/system",
    at: host.at,
  });
