import type { KubeClient, KubeObject, KubeRef } from "../../clients/kube/index.ts";
import { describeCause, SlipwayError } from "../../errors/index.ts";
import { limitTime, type Clock } from "../../lib/index.ts";

/** As every controller of Kubernetes has them. */
export const leaseTimes = { durationMs: 15_000, renewWithinMs: 10_000, retryMs: 2_000 };

export interface LeaseOptions {
  client: Pick<KubeClient, "get" | "create" | "patch">;
  clock: Clock;
  namespace: string;
  name: string;
  /** Different for every process, also for the next one of the same pod. */
  identity: string;
  /** Gives up waiting, or lets go of the Lease. */
  signal: AbortSignal;
  /** The Lease cannot be read or written; it is tried again. */
  onTrouble?(why: string): void;
}

interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export interface HeldLease {
  /** Aborted when it could not be renewed in time: somebody else may hold it by now. */
  lost: AbortSignal;
  /** Lets somebody else have it at once. */
  release(): Promise<void>;
}

/**
 * Waits until this process holds the Lease, then keeps it. Clocks of different machines are not compared: a holder is gone when its
 * Lease has not moved for as long as it said, by our own clock.
 */
export async function acquireLease(options: LeaseOptions): Promise<HeldLease> {
  const { clock, signal } = options;
  let seen: { version: string | undefined; atMs: number } | undefined;
  for (;;) {
    signal.throwIfAborted();
    const lease = await unlessFailed(read(options), options);
    const version = lease === "failed" ? undefined : lease?.metadata.resourceVersion;
    if (lease !== "failed" && (!seen || seen.version !== version)) seen = { version, atMs: clock.now() };
    const isFree =
      lease !== "failed" &&
      seen !== undefined &&
      (isOpen(lease) || clock.now() - seen.atMs >= durationOf(lease));
    if (isFree) {
      const askedAtMs = clock.now();
      const taken = await unlessFailed(write(options, lease), options);
      if (taken !== "failed") return keep(options, taken, askedAtMs);
    }
    await clock.sleep(leaseTimes.retryMs, signal);
  }
}

const isOpen = (lease: Lease | undefined): boolean =>
  lease?.spec?.holderIdentity === undefined || lease.spec.holderIdentity === "";

const durationOf = (lease: Lease | undefined): number =>
  (lease?.spec?.leaseDurationSeconds ?? leaseTimes.durationMs / 1000) * 1000;

/** Renews every two seconds; ten seconds without success are the end, five before anybody else may take it. */
function keep(options: LeaseOptions, first: Lease, heldAtMs: number): HeldLease {
  const { clock, signal } = options;
  const lost = new AbortController();
  const over = new AbortController();
  const ending = AbortSignal.any([signal, over.signal]);
  let held = { lease: first, atMs: heldAtMs };
  const renew = async (): Promise<void> => {
    while (!ending.aborted) {
      const restMs = held.atMs + leaseTimes.renewWithinMs - clock.now();
      if (restMs <= 0) return lost.abort(new Error("the Lease was not renewed in time"));
      await clock.sleep(Math.min(leaseTimes.retryMs, restMs), ending).catch(() => undefined);
      if (ending.aborted) return;
      const askedAtMs = clock.now();
      const untilLostMs = held.atMs + leaseTimes.renewWithinMs - askedAtMs;
      const renewing = limitTime(clock, untilLostMs, "the Lease was not renewed", ending, (late) =>
        renewed({ ...options, signal: late }, held.lease),
      );
      const next = await unlessFailed(renewing, options);
      if (next === "taken") return lost.abort(new Error("another controller holds the Lease"));
      if (next !== "failed") held = { lease: next, atMs: askedAtMs };
    }
  };
  const renewing = renew();
  return {
    lost: lost.signal,
    async release() {
      over.abort();
      await renewing;
      if (lost.signal.aborted) return;
      const { resourceVersion } = held.lease.metadata;
      const patch = { metadata: { resourceVersion }, spec: { holderIdentity: "" } };
      await unlessFailed(options.client.patch(refOf(options), patch), options);
    },
  };
}

/** A conflict may be our own write whose answer was lost: only another holder has taken it. */
async function renewed(options: LeaseOptions, lease: Lease): Promise<Lease | "taken"> {
  try {
    return await write(options, lease);
  } catch (thrown) {
    if (!hasCode(thrown, "KUBE_CONFLICT")) throw thrown;
    const found = await read(options);
    if (found?.spec?.holderIdentity !== options.identity) return "taken";
    return write(options, found);
  }
}

function write(
  { client, clock, identity, signal, ...at }: Omit<LeaseOptions, "onTrouble">,
  before: Lease | undefined,
): Promise<Lease> {
  const now = new Date(clock.now()).toISOString().replace("Z", "000Z");
  const isOurs = before?.spec?.holderIdentity === identity;
  const spec = {
    holderIdentity: identity,
    leaseDurationSeconds: leaseTimes.durationMs / 1000,
    renewTime: now,
    ...(!isOurs && {
      acquireTime: now,
      leaseTransitions: before ? (before.spec?.leaseTransitions ?? 0) + 1 : 0,
    }),
  };
  const { apiVersion, kind, name, namespace } = refOf(at);
  if (!before) return client.create<Lease>({ apiVersion, kind, metadata: { name, namespace }, spec }, signal);
  // Only the Lease that was read: somebody may have been faster.
  const { resourceVersion } = before.metadata;
  return client.patch<Lease>(refOf(at), { metadata: { resourceVersion }, spec }, { signal });
}

const read = (options: LeaseOptions): Promise<Lease | undefined> =>
  options.client.get<Lease>(refOf(options), options.signal);

const refOf = ({
  name,
  namespace,
}: Pick<LeaseOptions, "name" | "namespace">): KubeRef & { namespace: string } => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  name,
  namespace,
});

async function unlessFailed<T>(
  work: Promise<T>,
  { onTrouble }: Pick<LeaseOptions, "onTrouble">,
): Promise<T | "failed"> {
  try {
    return await work;
  } catch (thrown) {
    onTrouble?.(describeCause(thrown));
    return "failed";
  }
}

const hasCode = (thrown: unknown, code: string): boolean =>
  thrown instanceof SlipwayError && thrown.code === code;
