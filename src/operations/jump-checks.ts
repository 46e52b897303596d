import { errorData, SlipwayError } from "../errors/index.ts";
import { limitTime, type Target } from "../lib/index.ts";
import type { Check, Finding, ReadContext } from "../plan/index.ts";
import {
  hasKnownAddress,
  hasGuests,
  isProxmoxHost,
  type Cluster,
  type Host,
  type Jump,
} from "../spec/index.ts";
import type { World } from "../world.ts";

interface Way {
  jump: Jump[];
  to: Target;
}

/** Longer than a login may take; whether anybody is behind the host is not the question. */
const patienceMs = 25_000;

/** Every host on the way to a cluster and its hypervisors can be logged in to, and leads on. */
export function jumpChecks(cluster: Cluster, hosts: Host[], world: World): Check[] {
  const ways = [...hosts.flatMap(wayToHost), ...wayToNodes(cluster)];
  const steps = ways.flatMap(({ jump, to }) =>
    jump.map((_, index) => {
      const before = jump.slice(0, index + 1);
      const next = jump[index + 1];
      return { jump: before, to: next ? { host: next.host, port: next.port ?? 22 } : to };
    }),
  );
  const once = new Map(steps.map((step) => [step.jump.map(nameOf).join(" "), step]));
  return [...once.values()].map((step) => ({
    id: "jump",
    title: "Jump host leads on",
    host: step.jump.map(nameOf).at(-1) ?? "",
    run: (ctx) => tryWay(step, ctx, world),
  }));
}

async function tryWay({ jump, to }: Way, ctx: ReadContext, world: World): Promise<Finding> {
  if (world.kind === "rehearsal") {
    ctx.log("info", `not used in a rehearsal: jump host ${jump.map(nameOf).at(-1)}`);
    return { status: "skipped", found: "not used in a rehearsal" };
  }
  const needed = `a login, and connections to ${to.host}:${to.port}`;
  const [last] = jump.slice(-1) as [Jump];
  try {
    const socket = await limitTime(patienceMs, "silent", ctx.signal, (signal) =>
      world.dialOver(jump)(to, signal),
    );
    socket.destroy();
  } catch (thrown) {
    ctx.signal.throwIfAborted();
    // Nobody listens there yet, or the host still looks for it: it does lead on.
    if (thrown instanceof SlipwayError)
      return { status: "failed", needed, error: { ...errorData(thrown), at: last.at } };
  }
  return { status: "ok", needed, found: `${nameOf(last)} lets connections through` };
}

const nameOf = ({ host, user, port }: Jump): string =>
  `${user === undefined ? "" : `${user}@`}${host}${port === undefined || port === 22 ? "" : `:${port}`}`;

function wayToHost(host: Host): Way[] {
  if (host.jump === undefined) return [];
  const { hostname, port } = new URL(isProxmoxHost(host) ? host.proxmox.url : host.libvirt.uri);
  const usual = isProxmoxHost(host) ? 8006 : 22;
  return [{ jump: host.jump, to: { host: hostname, port: port === "" ? usual : Number(port) } }];
}

function wayToNodes(cluster: Cluster): Way[] {
  const { network, nodes } = cluster;
  if (network.jump === undefined) return [];
  // Where DHCP gives the addresses, none is known before the machines are there.
  const host = nodes.find(hasKnownAddress)?.address ?? network.gateway;
  return [{ jump: network.jump, to: { host, port: hasGuests(cluster) ? 22 : 50_000 } }];
}
