import { errorData } from "../errors/index.ts";
import { limitTime, Places, type Dial } from "../lib/index.ts";
import { hasKnownAddress, type Cluster } from "../spec/index.ts";
import type { Check } from "./check.ts";
import { addressesTaken } from "./errors.ts";
import type { Survey } from "./provider.ts";
import type { ReadContext } from "./resource.ts";

export interface AddressView {
  cluster: Cluster;
  survey: Survey;
  dial: Dial;
  /** The check that tells of hosts which do not answer: which machines exist there is not known. */
  silenceCheck: string;
}

/** Talos, Kubernetes, and what most other machines have. */
const ports = [50_000, 6443, 22];
/** An empty address on the same network is known after the first unanswered question; further away, silence must do. */
const patienceMs = 1_500;
const atOnce = 256;

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
      async run(ctx) {
        const needed = wanted.map(({ address }) => address).join(", ");
        if (view.survey.silent.length > 0) return { status: "skipped", needed, because: view.silenceCheck };
        const places = new Places(atOnce);
        const answers = await Promise.all(
          wanted.map(async (each) => {
            const seen = await Promise.all(
              ports.map((port) => places.use(() => answerAt(each.address, port, view.dial, ctx))),
            );
            return seen.flatMap((how) => (how === undefined ? [] : [{ ...each, how }])).slice(0, 1);
          }),
        );
        const taken = answers.flat();
        if (taken.length === 0) return { status: "ok", needed, found: "nobody answers there" };
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

/** A machine of ours that exists may have its address; the VIP belongs to whichever control plane holds it. */
function newAddresses({ cluster, survey }: AddressView): WantedAddress[] {
  const machines = survey.machines.filter((machine) => machine.cluster === cluster.name);
  const existing = new Set(machines.map((machine) => machine.node));
  const isFirst = !machines.some((machine) => machine.role === "control-plane");
  const { vip } = cluster.network;
  return [
    ...cluster.nodes.filter((node) => hasKnownAddress(node) && !existing.has(node.name)),
    ...(vip !== undefined && isFirst ? [{ name: "the VIP", address: vip }] : []),
  ].map(({ name, address }) => ({ name, address }));
}

/** What somebody said there; undefined: nobody is heard. */
async function answerAt(
  address: string,
  port: number,
  dial: Dial,
  ctx: ReadContext,
): Promise<string | undefined> {
  try {
    const socket = await limitTime(patienceMs, "silent", ctx.signal, (signal) =>
      dial({ host: address, port }, signal),
    );
    socket.destroy();
    return `takes connections on port ${port}`;
  } catch (thrown) {
    ctx.signal.throwIfAborted();
    return isRefusal(thrown) && !isLoopback(address) ? `refuses port ${port}, so it is there` : undefined;
  }
}

const isRefusal = (thrown: unknown): boolean =>
  ["ECONNREFUSED", "ECONNRESET"].includes((thrown as { code?: string }).code ?? "");

/** For these this computer itself answers, whether anybody listens or not. */
const isLoopback = (address: string): boolean => address.startsWith("127.");
