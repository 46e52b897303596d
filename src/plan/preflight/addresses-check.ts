import { setMaxListeners } from "node:events";
import { errorData, type SlipwayError } from "../../errors/index.ts";
import { limitTime, type Dial, type Target } from "../../lib/index.ts";
import { hasKnownAddress, type Cluster } from "../../spec/index.ts";
import type { Check } from "../check.ts";
import { addressesTaken, nodesRenamed } from "../errors.ts";
import type { OwnedMachine } from "../contract/owned-machine.ts";
import type { Survey } from "../contract/provider.ts";
import type { ReadContext } from "../resource.ts";

export interface AddressView {
  cluster: Cluster;
  survey: Survey;
  dial: Dial;
  /** The check that tells of hosts which do not answer: which machines exist there is not known. */
  unreachableCheck: string;
}

/** Talos, Kubernetes, and what most other machines have. */
const ports = [50_000, 6443, 22];
/** An empty address on the same network is known after the first unanswered question; further away, no answer must do. */
const patienceMs = 1_500;
const atOnce = 85;

/**
 * Nobody may answer at the addresses of machines that do not exist yet. Seen from this computer: whoever is switched
 * off, or drops what he did not ask for, stays unseen.
 */
export function addressesCheck(view: AddressView): Check[] {
  const wanted = newAddresses(view);
  if (wanted.length === 0) return [];
  return [
    {
      id: "network-addresses",
      title: "Addresses are free",
      failing: "Addresses are taken",
      async run(ctx) {
        const needed = wanted.map(({ address }) => address).join(", ");
        if (view.survey.unreachable.length > 0)
          return { status: "skipped", needed, because: view.unreachableCheck };
        const taken: TakenAddress[] = [];
        for (let from = 0; from < wanted.length; from += atOnce)
          taken.push(...(await takenAmong(wanted.slice(from, from + atOnce), view.dial, ctx)));
        if (taken.length === 0) return { status: "ok", needed, found: "none of them answers" };
        return { status: "failed", needed, error: errorData(explainTaken(view, taken)) };
      },
    },
  ];
}

interface WantedAddress {
  name: string;
  address: string;
}

/** A machine that exists may have its address; the VIP belongs to whichever control plane holds it. */
function newAddresses({ cluster, survey }: AddressView): WantedAddress[] {
  const machines = survey.machines.filter((machine) => machine.cluster === cluster.name);
  const existing = new Set(machines.map((machine) => machine.node));
  const isFirst = !machines.some((machine) => machine.role === "control-plane");
  const { vip } = cluster.network;
  return [
    ...cluster.nodes.filter((node) => hasKnownAddress(node) && !existing.has(node.name) && !node.machine),
    ...(vip !== undefined && isFirst ? [{ name: "the VIP", address: vip }] : []),
  ].map(({ name, address }) => ({ name, address }));
}

interface TakenAddress extends WantedAddress {
  how: string;
}

/** Those at which somebody is heard. All of them share one limit: one each costs more than the connections. */
async function takenAmong(
  wanted: WantedAddress[],
  dial: Dial,
  ctx: Pick<ReadContext, "clock" | "signal">,
): Promise<TakenAddress[]> {
  const heard = wanted.map((): (string | undefined)[] => []);
  const ask = (signal: AbortSignal) => {
    setMaxListeners(0, signal);
    return Promise.all(
      wanted.flatMap(({ address }, at) =>
        ports.map(async (port, index) => {
          (heard[at] ??= [])[index] = await answerOn({ host: address, port }, dial, signal);
        }),
      ),
    );
  };
  // What was heard until then counts.
  await limitTime(ctx.clock, patienceMs, "no answer", ctx.signal, ask).catch(() => undefined);
  ctx.signal.throwIfAborted();
  return wanted.flatMap((each, at) => {
    const how = heard[at]?.find((answer) => answer !== undefined);
    return how === undefined ? [] : [{ ...each, how }];
  });
}

/** Those of these addresses at which somebody is heard, as `addressesCheck` would. */
export async function addressesInUse(
  addresses: readonly string[],
  dial: Dial,
  ctx: Pick<ReadContext, "clock" | "signal">,
): Promise<string[]> {
  const taken: TakenAddress[] = [];
  for (let from = 0; from < addresses.length; from += atOnce) {
    const some = addresses.slice(from, from + atOnce).map((address) => ({ name: address, address }));
    taken.push(...(await takenAmong(some, dial, ctx)));
  }
  return taken.map(({ address }) => address);
}

/** Who answers may well be the cluster itself: its nodes, or all of it, under the name of yesterday. */
function explainTaken({ cluster, survey: { machines } }: AddressView, taken: TakenAddress[]): SlipwayError {
  const named = new Set(cluster.nodes.map(({ name }) => name));
  const from = machines
    .filter((machine) => machine.cluster === cluster.name && !named.has(machine.node))
    .map(({ node }) => node);
  if (from.length > 0) return nodesRenamed({ cluster, from, to: taken.map(({ name }) => name) });
  return addressesTaken({ cluster, taken, namesake: namesakeOf(machines, named) });
}

/** A cluster that has all of these nodes; one of the same file has them elsewhere, and is none. */
function namesakeOf(machines: OwnedMachine[], named: Set<string>): string | undefined {
  const nodesOf = (cluster: string) =>
    new Set(machines.filter((each) => each.cluster === cluster).map(({ node }) => node));
  return machines.find(({ cluster }) => [...named].every((name) => nodesOf(cluster).has(name)))?.cluster;
}

async function answerOn(to: Target, dial: Dial, signal: AbortSignal): Promise<string | undefined> {
  try {
    (await dial(to, signal)).destroy();
    return `takes connections on port ${to.port}`;
  } catch (thrown) {
    return isRefusal(thrown) && !isLoopback(to.host) ? `refuses port ${to.port}, so it is there` : undefined;
  }
}

const isRefusal = (thrown: unknown): boolean =>
  ["ECONNREFUSED", "ECONNRESET"].includes((thrown as { code?: string }).code ?? "");

/** For these this computer itself answers, whether anybody listens or not. */
const isLoopback = (address: string): boolean => address.startsWith("127.");
