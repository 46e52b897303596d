import type { LibvirtClient, SshUri, SshRoute } from "../clients/libvirt/index.ts";
import type { CallTrace, Dial } from "../lib/index.ts";
import type { LibvirtHost } from "../spec/index.ts";
import { badUri } from "./errors.ts";
import { opensshRoute } from "./ssh/openssh-route.ts";
import type { SshSettings } from "./ssh/settings.ts";

interface HostRoute {
  env: NodeJS.ProcessEnv;
  settings: SshSettings;
  dial: Dial;
  calls?: CallTrace | undefined;
}

/** Opens the libvirt of a host: on this machine, or through SSH as the user's own settings say. */
export async function connectHost(
  host: LibvirtHost,
  { env, settings, dial, calls }: HostRoute,
): Promise<LibvirtClient> {
  // Loaded here: who has no such host never needs it.
  const { libvirtConnector, openLibvirt, parseLibvirtUri } = await import("../clients/libvirt/index.ts");
  const parsed = parseLibvirtUri(host.libvirt.uri);
  if ("problems" in parsed) throw badUri(host, parsed.problems);
  const runtimeFolder = env["XDG_RUNTIME_DIR"];
  const connector = libvirtConnector(parsed.uri, {
    dial,
    ssh: (uri) => login(uri, { env, settings, dial, isDirect: host.jump === undefined }),
    runtimeFolder,
  });
  const client = await openLibvirt({ ...connector, calls });
  return {
    ...client,
    close() {
      client.close();
      connector.close();
    },
  };
}

/** Connections that many share, by key. */
export interface SharedClients {
  /** Each asks the one before, so that many at once share one connection, and a lost one is opened again. */
  open(key: string, connect: () => Promise<LibvirtClient>): Promise<LibvirtClient>;
  close(): Promise<void>;
}

export function sharedClients(): SharedClients {
  const clients = new Map<string, Promise<LibvirtClient>>();
  return {
    open(key, connect) {
      const before = clients.get(key);
      const client = (async () => {
        const last = await before?.catch(() => undefined);
        return last?.isOpen() ? last : connect();
      })();
      clients.set(key, client);
      return client;
    },
    async close() {
      for (const client of await Promise.allSettled(clients.values()))
        if (client.status === "fulfilled") client.value.close();
    },
  };
}

interface Login extends Omit<HostRoute, "calls"> {
  isDirect: boolean;
}

async function login(uri: SshUri, { env, settings, dial, isDirect }: Login): Promise<SshRoute> {
  const { jumps } = await settings.about(uri.host);
  // The cluster file knows another way.
  const own = isDirect ? jumps : [];
  const reasons = [
    settings.onlyByProgram(uri.host, uri),
    ...own.map((jumpHost) => settings.onlyByProgram(jumpHost.host, jumpHost)),
  ];
  const because = (await Promise.all(reasons)).find((reason) => reason !== undefined);
  if (because !== undefined && isDirect) return byProgram({ ...uri, because }, env);
  const { connectThrough } = await import("../clients/ssh/index.ts");
  const { knownHosts, ...target } = await settings.jumpHost(uri.host, uri);
  // Asked not to look, nothing is remembered either.
  const trust = uri.acceptsUnknownHost ? { ...knownHosts, trustOnFirstUse: {} } : knownHosts;
  const [nearest, ...further] = await Promise.all(
    own.map(({ host, ...said }) => settings.jumpHost(host, said)),
  );
  const last = { ...target, knownHosts: trust };
  return connectThrough(nearest ? [nearest, ...further, last] : [last], dial);
}

/** The ssh program leads to no sockets, but runs there what does. */
function byProgram(
  { host, user, port, keyFile, knownHostsFile, acceptsUnknownHost, because }: SshUri & { because: string },
  env: NodeJS.ProcessEnv,
): SshRoute {
  const own = { user, port, keyFile, knownHostsFile };
  const said = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  const way = opensshRoute([{ host, because, acceptsNew: acceptsUnknownHost, ...said }], env);
  return {
    isOpen: true,
    openSocket: (path) => Promise.reject(new Error(`the ssh program does not lead to ${path}`)),
    openCommand: (command) => way.open(command),
    run: (command) => way.run(command),
    close: () => undefined,
  };
}
