import type { Group, StepId } from "./events.ts";

/** How far a run may go: `up --until machines` stops before any distribution is set up. */
export const stages = ["machines", "distro", "kubernetes", "addons"] as const;
export type Stage = (typeof stages)[number];

/** One wanted thing: plain data, so that a graph can be printed, compared and kept under a golden. */
export interface GraphNode<Want = unknown> {
  id: StepId;
  /** The resource that knows how to read and make it. */
  kind: string;
  /** A noun: `machine cp-1`. The plan puts the verb before it. */
  name: string;
  /** The whole title, where no verb of the plan fits before the name: `Detach the ISO from machine cp-1`. */
  title?: string;
  /** It comes by itself once everything before it is there, and is waited for. */
  comesByItself?: boolean;
  /** Made once in the life of its cluster: where the machines are there, it comes back with them. */
  isLasting?: boolean;
  /** Complete and plain; secrets stand in it as references only. */
  want: Want;
  after: StepId[];
  /** It can exist only where at least one of these exists, so it is not looked for without them. */
  within?: StepId[];
  group: Group;
  stage: Stage;
  cluster: string;
  host?: string;
  node?: string;
  role?: string;
  usualMs?: number;
  facts?: Record<string, string | number>;
  /** What outlives it when it is removed, in words. */
  keeps?: string;
  /** What is gone for good when it is removed, in words; somebody has to agree to it. */
  loses?: string;
}

export type Graph = GraphNode[];
