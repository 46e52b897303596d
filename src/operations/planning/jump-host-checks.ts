import { errorData, SlipwayError } from "../../errors/index.ts";
import { limitTime, type Target } from "../../lib/index.ts";
import type { Check, DistributionFacts, Finding, ReadContext } from "../../plan/index.ts";
import { hasKnownAddress, hostnameOf, portOf, type Cluster, type Host, type Jump } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { factsOf } from "../fleet/facts.ts";

interface Way {
  jump: Jump[];
  to: Target;
}

/** Longer than a login may take; whether anything answers behind the host is not the question. */
const patienceMs = 25_000;

/** Every host on the way to a cluster and its hypervisors can be logged in to, and leads on. */
export function jumpChecks(cluster: Cluster, hosts: Host[], world: World): Check[] {
  const ways = [...hosts.flatMap(routeToHost), ...routeToNodes(cluster, factsOf(cluster, world))];
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
    title: "Jump host forwards connections",
    failing: "Jump host does not forward connections",
    host: step.jump.map(nameOf).at(-1) ?? "",
    run: (ctx) => tryRoute(step, ctx, world),
  }));
}

async function tryRoute({ jump, to }: Way, ctx: ReadContext, world: World): Promise<Finding> {
  if (world.kind === "rehearsal") {
    ctx.log("info", `not used in a rehearsal: jump host ${jump.map(nameOf).at(-1)}`);
    return { status: "skipped", found: "not used in a rehearsal" };
  }
  const needed = `a login, and connections to ${to.host}:${to.port}`;
  const [last] = jump.slice(-1) as [Jump];
  try {
    const socket = await limitTime(ctx.clock, patienceMs, "no answer", ctx.signal, (signal) =>
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

function routeToHost(host: Host): Way[] {
  if (host.jump === undefined) return [];
  return [{ jump: host.jump, to: { host: hostnameOf(host) ?? "", port: portOf(host) } }];
}

function routeToNodes({ network, nodes }: Cluster, { answersAt }: DistributionFacts): Way[] {
  if (network.jump === undefined) return [];
  // Where DHCP gives the addresses, none is known before the machines are there.
  const host = nodes.find(hasKnownAddress)?.address ?? network.gateway;
  return [{ jump: network.jump, to: { host, port: answersAt } }];
}
