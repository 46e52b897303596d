import { errorData } from "../../errors/index.ts";
import { limitTime, Semaphore, type Dial, type Target } from "../../lib/index.ts";
import { hasKnownAddress, type Cluster } from "../../spec/index.ts";
import type { Check } from "../check.ts";
import { addressesTaken } from "../errors.ts";
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
        const places = new Semaphore(atOnce);
        const answers = await Promise.all(
          wanted.map(async (each) => {
            const how = await places.use(() => answerAt(each.address, view.dial, ctx));
            return how === undefined ? [] : [{ ...each, how }];
          }),
        );
        const taken = answers.flat();
        if (taken.length === 0) return { status: "ok", needed, found: "none of them answers" };
        return {
          status: "failed",
          needed,
          error: errorData(addressesTaken({ cluster: view.cluster, taken })),
        };
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

/** What somebody said there; undefined: nobody is heard. All ports share one limit, of which there are thousands. */
async function answerAt(address: string, dial: Dial, ctx: ReadContext): Promise<string | undefined> {
  const heard: (string | undefined)[] = [];
  const ask = (signal: AbortSignal) =>
    Promise.all(
      ports.map(async (port, index) => {
        heard[index] = await answerOn({ host: address, port }, dial, signal);
      }),
    );
  // What was heard until then counts.
  await limitTime(ctx.clock, patienceMs, "no answer", ctx.signal, ask).catch(() => undefined);
  ctx.signal.throwIfAborted();
  return heard.find((how) => how !== undefined);
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
