import type { StepId } from "../plan/index.ts";

/** A step that takes turns with others. */
export interface Turn {
  step: StepId;
  /** The node it takes away for a while. */
  node?: string | undefined;
  /** How many may be away together with it, itself included. */
  atOnce: number;
  /** A step that has to be over before, if one is left. Throws when it will not come to its end. */
  behind(): StepId | undefined;
}

interface Group {
  holders: Map<StepId, Turn>;
  /** How many have had their turn since nobody had: a batch is over when all of it are back. */
  batch: number;
  /** The step that failed while it held the group. */
  failed?: StepId;
  waiting: (() => void)[];
}

/** Thrown into a step that was still waiting when one before it failed. */
export class StepSkipped extends Error {
  readonly because: StepId;

  constructor(because: StepId) {
    super(`skipped, because ${because} failed`);
    this.because = because;
  }
}

/** Thrown into a step that may not begin, or go on to another node, for now. */
export class StepHeld extends Error {}

/**
 * Steps that go on in batches, and only as long as none of them fails: those that run then come to their end, no other
 * begins. A step that is tried again keeps its turn: the state it has left its subject in is not known.
 */
export class RollingGroups {
  private readonly groups = new Map<string, Group>();

  /** Resolves when it is this step's turn, with whether it had to wait. */
  async enter(
    name: string,
    turn: Turn,
    signal: AbortSignal,
    onQueued: (behind: StepId) => void,
  ): Promise<boolean> {
    const group = this.groups.get(name) ?? { holders: new Map<StepId, Turn>(), batch: 0, waiting: [] };
    this.groups.set(name, group);
    if (group.holders.has(turn.step)) return false;
    let hasQueued = false;
    for (;;) {
      signal.throwIfAborted();
      if (group.failed !== undefined) throw new StepSkipped(group.failed);
      const behind = turn.behind() ?? holderInTheWay(group, turn);
      if (behind === undefined) break;
      if (!hasQueued) onQueued(behind);
      hasQueued = true;
      await next(group, signal);
    }
    group.batch = group.holders.size === 0 ? 1 : group.batch + 1;
    group.holders.set(turn.step, turn);
    return hasQueued;
  }

  /** The nodes that other steps of the group have taken away right now. */
  others(name: string, step: StepId): string[] {
    const holders = [...(this.groups.get(name)?.holders.values() ?? [])];
    return holders.flatMap((turn) => (turn.step === step ? [] : (turn.node ?? [])));
  }

  /** The step has come to the end of its turn. */
  leave(name: string, step: StepId): void {
    const group = this.groups.get(name);
    if (group?.holders.delete(step)) wake(group);
  }

  /** The step is over for good; turns it still holds were cut short, well or badly. */
  end(step: StepId, hasFailed: boolean): void {
    for (const group of this.groups.values()) {
      if (!group.holders.delete(step)) continue;
      if (hasFailed) group.failed ??= step;
      wake(group);
    }
  }

  /** Some step is over that others may have waited for. */
  lookAgain(): void {
    for (const group of this.groups.values()) wake(group);
  }
}

/** The next batch waits for all of this one: what one node cannot bear, others are not given before that is known. */
function holderInTheWay({ holders, batch }: Group, { atOnce }: Turn): StepId | undefined {
  const most = Math.min(atOnce, ...[...holders.values()].map((turn) => turn.atOnce));
  const [first] = holders.keys();
  return batch < most ? undefined : first;
}

function wake(group: Group): void {
  for (const each of group.waiting.splice(0)) each();
}

function next(group: Group, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const go = () => {
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const stop = () => {
      group.waiting = group.waiting.filter((each) => each !== go);
      reject(signal.reason as Error);
    };
    group.waiting.push(go);
    signal.addEventListener("abort", stop, { once: true });
  });
}
