import type { Clock, Dial } from "../../../src/lib/index.ts";
import { askApiBy } from "../sim/ask-api.ts";
import { probeReach, type ReachReport } from "../sim/reach-prober.ts";

/** Whom the API is asked at: control planes by name, and how to reach them. */
export interface WatchedApi {
  kubeconfig: string;
  controlPlanes: Record<string, string>;
  /** The address they share. */
  vip: string;
  /** By which port one sees whether a control plane is there: etcd's own, or that of Talos where etcd has none. */
  knocks: 2_379 | 50_000;
  dial: Dial;
  clock: Clock;
}

/** One object, read without a version: the API server answers only if the majority of etcd agrees to the read. */
const agreedRead = "/api/v1/namespaces/default";

/** How long a client waits for one control plane before it asks the others. */
const patienceMs = 1_000;

/**
 * `API`: five times a second, at whichever control plane answers, as through a load balancer. `VIP`: once a second, at the address
 * they share. By its name: whether a control plane is there at all, as often.
 */
export function watchApi({ kubeconfig, controlPlanes, vip, knocks, dial, clock }: WatchedApi): ReachReport {
  const read = askApiBy(kubeconfig, dial, agreedRead);
  const hosts = Object.values(controlPlanes);
  let [preferred = ""] = hosts;
  const within = async (host: string, signal: AbortSignal): Promise<string> => {
    const limit = new AbortController();
    const cancel = clock.after(patienceMs, () => limit.abort(new Error("no answer")));
    try {
      await read(host)(AbortSignal.any([signal, limit.signal]));
      return host;
    } finally {
      cancel();
    }
  };
  const others = (signal: AbortSignal): Promise<string> =>
    Promise.any(hosts.filter((host) => host !== preferred).map((host) => within(host, signal)));
  return probeReach(
    [
      {
        name: "API",
        everyMs: 200,
        ask: async (signal) => {
          preferred = await within(preferred, signal).catch(() => others(signal));
        },
      },
      { name: "VIP", everyMs: 1_000, ask: (signal) => within(vip, signal) },
      ...Object.entries(controlPlanes).map(([name, host]) => ({
        name,
        everyMs: 1_000,
        ask: async (signal: AbortSignal) => (await dial({ host, port: knocks }, signal)).destroy(),
      })),
    ],
    clock,
  );
}
