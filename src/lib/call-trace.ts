import { AsyncLocalStorage } from "node:async_hooks";

/** A call to something outside, after it ended. */
export interface TracedCall {
  /** Counts up within a trace, so that two lines about one call can be told apart from two calls. */
  id: number;
  protocol: "proxmox" | "libvirt" | "talos" | "kubernetes" | "k3s" | "helm" | "ssh" | "factory";
  to: string;
  call: string;
  ms: number;
  /** `ok`, a status of the protocol, or the code of an error. */
  outcome: string;
  /** On whose behalf it was made, where that was said: see `timing`. */
  by?: string | undefined;
}

/** A call that has not ended yet. */
export type CallUnderWay = Pick<TracedCall, "protocol" | "to" | "call">;

/**
 * Whose waiting time a call is, in whatever is awaited below it. One for all traces: Node copies the value of every such
 * storage to every promise, and forgets none of them.
 */
const timing = new AsyncLocalStorage<{
  trace: CallTrace;
  timer: { enter(): void; leave(): void };
  by: string | undefined;
}>();

/** The calls of one world to the outside: which are under way, how they ended, and whose waiting time they are. */
export class CallTrace {
  readonly #listeners = new Set<(call: TracedCall) => void>();
  readonly #underWay = new Set<CallUnderWay>();
  #last = 0;

  /** Hears of every call; returns how to stop. */
  listen(listener: (call: TracedCall) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(call: Omit<TracedCall, "id" | "by">): void {
    if (this.#listeners.size === 0) return;
    this.#last += 1;
    const { trace, by } = timing.getStore() ?? {};
    const told = { id: this.#last, ...call, ...(trace === this && by !== undefined && { by }) };
    for (const listener of this.#listeners) listener(told);
  }

  /** Calls that have not ended yet, the oldest first: what a program that was asked to stop still waits for. */
  underWay(): readonly CallUnderWay[] {
    return [...this.#underWay];
  }

  /** Counts a call among those under way until it has ended. */
  async whileUnderWay<T>(what: CallUnderWay, work: () => Promise<T>): Promise<T> {
    const call = { ...what };
    this.#underWay.add(call);
    try {
      return await work();
    } finally {
      this.#underWay.delete(call);
    }
  }

  /** Runs a call and tells how it ended and how long it took. */
  async run<T>(
    what: CallUnderWay,
    work: () => Promise<T>,
    outcomeOf: (result: T) => string = () => "ok",
  ): Promise<T> {
    if (this.#listeners.size === 0) return this.whileUnderWay(what, work);
    const startedAt = performance.now();
    const tell = (outcome: string): void =>
      this.tell({ ...what, ms: performance.now() - startedAt, outcome });
    try {
      const result = await this.whileUnderWay(what, work);
      tell(outcomeOf(result));
      return result;
    } catch (thrown) {
      tell(codeOf(thrown));
      throw thrown;
    }
  }

  /** Runs `work` so that every `remotely` below it enters and leaves `timer`, and its calls are told as made `by` it. */
  timing<T>(timer: { enter(): void; leave(): void }, work: () => Promise<T>, by?: string): Promise<T> {
    return timing.run({ trace: this, timer, by }, work);
  }

  /** Marks a call to another machine. Clients wrap their one call function in it. */
  async remotely<T>(call: () => Promise<T>): Promise<T> {
    const { trace, timer } = timing.getStore() ?? {};
    if (timer === undefined || trace !== this) return call();
    timer.enter();
    try {
      return await call();
    } finally {
      timer.leave();
    }
  }
}

const codeOf = (thrown: unknown): string => {
  const { code, name } = thrown as { code?: unknown; name?: unknown };
  return typeof code === "string" ? code : typeof name === "string" ? name : "failed";
};
