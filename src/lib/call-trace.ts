/** A call to something outside, after it ended. */
export interface TracedCall {
  /** Counts up within the process, so that two lines about one call can be told apart from two calls. */
  id: number;
  protocol: "proxmox" | "libvirt" | "talos" | "kubernetes" | "k3s" | "helm" | "ssh";
  to: string;
  call: string;
  ms: number;
  /** `ok`, a status of the protocol, or the code of an error. */
  outcome: string;
}

export type CallListener = (call: TracedCall) => void;

const listeners = new Set<CallListener>();
const underWay = new Set<Pick<TracedCall, "to" | "call">>();
let last = 0;

/** Hears of every call of this process; returns how to stop. */
export function listenToCalls(listener: CallListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellCall(call: Omit<TracedCall, "id">): void {
  if (listeners.size === 0) return;
  last += 1;
  for (const listener of listeners) listener({ id: last, ...call });
}

/** Calls that have not ended yet, the oldest first: what a program that was asked to stop still waits for. */
export const callsUnderWay = (): string[] => [...underWay].map(({ call, to }) => `${call} at ${to}`);

/** Counts a call among those under way until it has ended. */
export async function whileUnderWay<T>(
  what: Pick<TracedCall, "to" | "call">,
  work: () => Promise<T>,
): Promise<T> {
  underWay.add(what);
  try {
    return await work();
  } finally {
    underWay.delete(what);
  }
}

/** Runs a call and tells how it ended and how long it took. */
export async function traced<T>(
  what: Pick<TracedCall, "protocol" | "to" | "call">,
  work: () => Promise<T>,
  outcomeOf: (result: T) => string = () => "ok",
): Promise<T> {
  if (listeners.size === 0) return whileUnderWay({ ...what }, work);
  const startedAt = performance.now();
  const tell = (outcome: string): void => tellCall({ ...what, ms: performance.now() - startedAt, outcome });
  try {
    const result = await whileUnderWay({ ...what }, work);
    tell(outcomeOf(result));
    return result;
  } catch (thrown) {
    tell(codeOf(thrown));
    throw thrown;
  }
}

const codeOf = (thrown: unknown): string => {
  const { code, name } = thrown as { code?: unknown; name?: unknown };
  return typeof code === "string" ? code : typeof name === "string" ? name : "failed";
};
