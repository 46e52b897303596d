import type { SshConnection } from "../../clients/ssh/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type {
  BareMachineLook,
  BareMachines,
  MachineHardware,
  Release,
  StepContext,
} from "../../plan/index.ts";
import {
  guestsOf,
  type Cluster,
  type ExistingMachine,
  type GuestCluster,
  type Role,
} from "../../spec/index.ts";
import { HostSession } from "./host-session.ts";
import { askHostStatus } from "./host-status.ts";
import type { Guest, LinuxAccess } from "./linux-access.ts";
import { hostKeysOf, letIn } from "./logins.ts";
import { isStarting, OpenLine } from "./open-line.ts";

/** How somebody logs in on a machine that has no key of ours yet. */
export type OpenOwnSsh = (to: OwnLogin, signal?: AbortSignal) => Promise<SshConnection>;

export interface OwnLogin {
  cluster: string;
  address: string;
  user: string;
  /** `SHA256:…`; absent: what the user's own known_hosts says. */
  fingerprint?: string | undefined;
  /** Whoever answers is believed. */
  isTrusted?: true | undefined;
  /** A private key, in the place of those that the user's settings name. */
  key?: { name: string; text: string } | undefined;
}

/** What a distribution adds: what shows that it, or another one, is there; and how it goes. */
export interface OnBareLinux {
  /** Files that only a node of a cluster has, whoever made it. */
  signs: readonly string[];
  /** Stops it, so that the next start finds nothing of it. */
  stop(host: HostSession, signal: AbortSignal): Promise<void>;
  /** Removes what is left of it, once nothing of it runs. */
  clean(host: HostSession, signal: AbortSignal): Promise<void>;
}

/** Whose machine it is; written before anything else is done to it. */
interface Mark {
  cluster: string;
  node: string;
  role: Role;
}

const markFile = "/etc/slipway/machine.json";
const quickMs = 8_000;
const rebootWait = { deadlineMs: 15 * 60_000, usualMs: 60_000, everyMs: 2_000 };

/** Linux machines that somebody has installed: reached as their owner reaches them, and by a key of the cluster from then on. */
export const linuxBareMachines = (
  access: LinuxAccess,
  openOwn: OpenOwnSsh,
  own: OnBareLinux,
): BareMachines => ({
  wanted: "Linux with SSH",
  howToBegin: (cluster) =>
    `Install a Linux on it, with a user "${guestsOf(cluster).distribution.user}" who may log in with your SSH key and use sudo`,
  look: (machine, clusters, signal) => look(access, openOwn, own, machine, clusters, signal),
  take: (ctx, machine, cluster) => take(access, openOwn, ctx, machine, guestsOf(cluster)),
  release: (ctx, machine, release) => empty(access, own, ctx, machine, release),
});

const guestOn = ({ name, distribution }: GuestCluster, { name: node, address }: ExistingMachine): Guest => ({
  cluster: name,
  node,
  address,
  user: distribution.user,
  firstContact: "console",
});

const loginOf = (
  { name, distribution }: GuestCluster,
  { address, fingerprint, isTrusted }: ExistingMachine,
): OwnLogin => ({
  cluster: name,
  address,
  user: distribution.user,
  fingerprint,
  isTrusted: isTrusted === true || distribution.firstContact === "trust" ? (true as const) : undefined,
});

async function look(
  access: LinuxAccess,
  openOwn: OpenOwnSsh,
  { signs }: OnBareLinux,
  machine: ExistingMachine,
  clusters: Cluster[],
  signal: AbortSignal,
): Promise<BareMachineLook> {
  const [first] = clusters;
  if (!first) return { state: "unreachable", why: "no cluster of the file leads to it" };
  const asOurs = async (cluster: Cluster): Promise<BareMachineLook | undefined> => {
    const guest = guestOn(guestsOf(cluster), machine);
    if (!(await access.isMet(guest)) || !(await access.world.keys.findLogin(cluster.name))) return undefined;
    return access.using(guest, signal, quickMs, (to) => judge(to, clusters, signs, signal));
  };
  try {
    for (const cluster of clusters) {
      const seen = await asOurs(cluster).catch((thrown: unknown) => unlessRefused(thrown));
      if (seen) return seen;
    }
    const connection = await openOwn(loginOf(guestsOf(first), machine), signal);
    try {
      return await judge(connection, clusters, signs, signal);
    } finally {
      connection.close();
    }
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof SlipwayError)) throw thrown;
    return thrown.code === "SSH_UNREACHABLE"
      ? { state: "unreachable", why: thrown.why }
      : { state: "other", why: thrown.why };
  }
}

/** A key of ours that it no longer knows: somebody has installed it anew. */
function unlessRefused(thrown: unknown): undefined {
  if (thrown instanceof SlipwayError && thrown.code === "SSH_LOGIN_REFUSED") return undefined;
  throw thrown;
}

async function judge(
  to: SshConnection,
  clusters: Cluster[],
  signs: readonly string[],
  signal: AbortSignal,
): Promise<BareMachineLook> {
  const mark = await readMark(to, signal);
  const hardware = await hardwareOf(to, signal);
  if (mark && clusters.some(({ name }) => name === mark.cluster))
    return { state: "ours", cluster: mark.cluster, role: mark.role, hardware, needsNoDisk: true };
  if (mark)
    return { state: "foreign", why: `it is marked as node ${mark.node} of cluster "${mark.cluster}"` };
  for (const sign of signs) {
    const { code } = await to.run(["test", "-e", sign], { signal });
    if (code === 0) return { state: "foreign", why: `it has ${sign}, which only a node of a cluster has` };
  }
  const { release } = await askHostStatus(to, signal);
  return { state: "free", software: release, hardware, needsNoDisk: true };
}

async function readMark(to: SshConnection, signal: AbortSignal): Promise<Mark | undefined> {
  const { code, stdout } = await to.run(["cat", markFile], { signal });
  if (code !== 0) return undefined;
  try {
    const { cluster, node, role } = JSON.parse(stdout) as Partial<Mark>;
    return cluster === undefined ? undefined : { cluster, node: node ?? "", role: role ?? "worker" };
  } catch {
    return { cluster: "unknown", node: "", role: "worker" };
  }
}

async function hardwareOf(to: SshConnection, signal: AbortSignal): Promise<MachineHardware> {
  const said = async (...command: string[]): Promise<string> => {
    const { code, stdout } = await to.run(command, { signal });
    return code === 0 ? stdout : "";
  };
  const memoryKiB = Number(/^MemTotal:\s*(\d+)/m.exec(await said("cat", "/proc/meminfo"))?.[1] ?? 0);
  const cores = Number(await said("nproc"));
  const links = await said("ip", "-o", "link");
  return {
    macs: [...links.matchAll(/link\/ether ([0-9a-f:]{17})/g)].flatMap(([, mac]) => mac ?? []),
    memoryMiB: memoryKiB > 0 ? Math.round(memoryKiB / 1024) : undefined,
    cores: cores > 0 ? cores : undefined,
  };
}

/** Lets the key of the cluster in beside that of its owner, learns its host keys, and marks it. */
async function take(
  access: LinuxAccess,
  openOwn: OpenOwnSsh,
  ctx: StepContext,
  machine: ExistingMachine,
  cluster: GuestCluster,
): Promise<void> {
  const { signal } = ctx;
  const guest = guestOn(cluster, machine);
  const login = await access.world.keys.login(cluster.name);
  const to = await openOwn(loginOf(cluster, machine), signal);
  try {
    await letIn(to, guest, login.public, signal);
    await access.meet(guest, await hostKeysOf(to, signal));
  } finally {
    to.close();
  }
  const role = cluster.nodes.find(({ name }) => name === machine.name)?.role ?? "worker";
  const mark: Mark = { cluster: cluster.name, node: machine.name, role };
  await inSession(access, guest, (host) => host.write(markFile, `${JSON.stringify(mark)}\n`, "0644", signal));
}

/** Its containers end with a restart: what they have mounted is not removed with them. */
async function empty(
  access: LinuxAccess,
  own: OnBareLinux,
  ctx: StepContext,
  machine: ExistingMachine,
  { cluster }: Release,
): Promise<void> {
  const { signal } = ctx;
  const guest = guestOn(guestsOf(cluster), machine);
  await inSession(access, guest, async (host) => {
    await own.stop(host, signal);
    await host.try(["systemctl", "reboot"], { signal }).catch(unlessLost);
  });
  await untilBack(access, ctx, guest);
  await inSession(access, guest, async (host) => {
    await own.clean(host, signal);
    await host.remove(markFile, signal);
  });
}

/** A machine that restarts cuts the line that told it to. */
function unlessLost(thrown: unknown): void {
  if (!(thrown instanceof SlipwayError) || !isStarting(thrown)) throw thrown;
}

async function untilBack(access: LinuxAccess, ctx: StepContext, guest: Guest): Promise<void> {
  const line = new OpenLine(access, guest);
  // The one that goes down still answers for a moment.
  await ctx.clock.sleep(5_000, ctx.signal);
  try {
    await ctx.waitFor({ what: `${guest.node} to be back`, probe: "ssh", ...rebootWait }, async (signal) => {
      try {
        await line.connection(signal);
        return { done: true, value: true };
      } catch (thrown) {
        if (isStarting(thrown)) return { done: false, seen: thrown.why };
        throw thrown;
      }
    });
  } finally {
    line.close();
  }
}

async function inSession<T>(
  access: LinuxAccess,
  guest: Guest,
  work: (host: HostSession) => Promise<T>,
): Promise<T> {
  const host = new HostSession(access, guest, "user");
  try {
    return await work(host);
  } finally {
    host.close();
  }
}
