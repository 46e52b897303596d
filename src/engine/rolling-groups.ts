import type { StepId } from "../plan/index.ts";

interface Group {
  holder?: StepId;
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

/**
 * Steps that may go on only one after the other, and only as long as none of them fails. A step that is tried again
 * keeps its turn: the state it has left its subject in is not known.
 */
export class RollingGroups {
  private readonly groups = new Map<string, Group>();

  /** Resolves when it is this step's turn, with whether it had to wait. */
  async enter(
    name: string,
    step: StepId,
    signal: AbortSignal,
    onQueued: (behind: StepId) => void,
  ): Promise<boolean> {
    const group = this.groups.get(name) ?? { waiting: [] };
    this.groups.set(name, group);
    if (group.holder === step) return false;
    const hasQueued = group.holder !== undefined;
    if (group.holder !== undefined) onQueued(group.holder);
    while (group.holder !== undefined) await next(group, signal);
    if (group.failed !== undefined) throw new StepSkipped(group.failed);
    group.holder = step;
    return hasQueued;
  }

  /** The step has come to the end of its turn. */
  leave(name: string): void {
    const group = this.groups.get(name);
    if (group) letOthersIn(group);
  }

  /** The step is over for good; turns it still holds were cut short, well or badly. */
  end(step: StepId, hasFailed: boolean): void {
    for (const group of this.groups.values()) {
      if (group.holder !== step) continue;
      if (hasFailed) group.failed = step;
      letOthersIn(group);
    }
  }
}

function letOthersIn(group: Group): void {
  delete group.holder;
  for (const wake of group.waiting.splice(0)) wake();
}

function next(group: Group, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const wake = () => {
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const stop = () => {
      group.waiting = group.waiting.filter((each) => each !== wake);
      reject(signal.reason as Error);
    };
    group.waiting.push(wake);
    signal.addEventListener("abort", stop, { once: true });
  });
}
