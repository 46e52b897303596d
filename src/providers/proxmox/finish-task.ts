import type { SlipwayError } from "../../errors/index.ts";
import type { Task } from "../../clients/proxmox/index.ts";
import type { StepContext } from "../../plan/index.ts";

export interface TaskWait {
  /** Completes "waiting for …". */
  what: string;
  deadlineMs: number;
  usualMs: number;
}

/** Waits for a Proxmox task as a step does: with a deadline, progress, and the last thing seen. */
export async function finishTask(ctx: StepContext, task: Task, wait: TaskWait): Promise<void> {
  let percent: number | undefined;
  const error = await ctx.waitFor<SlipwayError | undefined>(
    // The task paces its own looks, so the next may follow at once.
    { ...wait, probe: "task", everyMs: 1 },
    async (signal) => {
      const look = await task.look(signal);
      // A failed task has ended, even when its failure is worth another attempt.
      if (!look.isRunning) return { done: true, value: look.error };
      if (look.percent !== undefined) ctx.progress(look.percent, 100, "percent");
      if (look.percent !== undefined) percent = look.percent;
      // Coarse, because every new text is told; the fine steps are progress.
      const part = percent === undefined ? "" : `, ${Math.floor(percent / 10) * 10} %`;
      return { done: false, seen: `Proxmox task running${part}` };
    },
  );
  if (error) throw error;
}
