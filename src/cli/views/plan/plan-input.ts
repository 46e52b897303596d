import type { PlannedStep, Refusal } from "../../../plan/index.ts";

/** What the plan screen is made of: the plan of one cluster, and what is known around it. */
export interface PlanInput {
  /** The command as typed; `plan` proposes what to type next, the others go on by themselves. */
  command: string;
  file: string;
  /** How long ago reality was read. */
  readAgoMs: number;
  cluster: string;
  plan: { steps: PlannedStep[]; same: number; refused: Refusal[] };
  checks?: { passed: number; total: number } | undefined;
  /** Field by field, and every machine. */
  details?: boolean;
  /** The plan takes the cluster away. */
  isRemoval?: boolean;
  /** What hosts have left when the plan has run. */
  hosts?: { name: string; memoryLeftMiB: number; memoryMiB: number }[] | undefined;
  tookMs?: number;
  /** Said only when the caller knows it. */
  doesApiStayUp?: boolean;
  /** What `up` has to be told to do the same: `--host-lost lyra`. */
  upFlags?: string[] | undefined;
  /** What a removal keeps, in words: `2 data disks, secrets`. */
  keeps?: string | undefined;
  /** What stops running in a removal, in words: `5 running nodes and 41 pods`. */
  stops?: string;
}
