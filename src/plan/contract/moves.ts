import type { Host } from "../../spec/index.ts";
import type { Graph, ReadContext } from "../resource.ts";
import type { OwnedMachine, Survey } from "./provider.ts";

/** What forbids a move, and what a person can do about it. */
export interface MoveBlocker {
  why: string;
  next: string;
}

/** How a machine could leave the host it is on. */
export interface MoveOutlook {
  machine: OwnedMachine;
  /** It runs, and goes on running while it moves. */
  isLive: boolean;
  /** Disks that only its host has: they are copied along. */
  disks: { storage: string; sizeGiB: number }[];
  /** What forbids it wherever it should go. */
  blockers: MoveBlocker[];
  /** What speaks against single hosts, by their name; completes "HOST …": `has no bridge "vmbr1"`. */
  against: Record<string, string>;
  /** What may go wrong on single hosts, by their name. */
  doubts: Record<string, string>;
}

/** A machine and the host it goes to. */
export interface Move {
  outlook: MoveOutlook;
  to: Host;
}

/** Something on a host that stays there whatever we move. */
export interface StayingGuest {
  name: string;
  id?: number;
  kind: "machine" | "container" | "template" | "kept disks";
  isRunning: boolean;
}

/** Machines can leave their host for another of the same realm. */
export interface Moves<H extends Host = Host> {
  /** Changes nothing. */
  outlook(ctx: ReadContext, machines: OwnedMachine[], hosts: H[], survey: Survey): Promise<MoveOutlook[]>;
  /** All that is on the host beside machines of ours. */
  staying(ctx: ReadContext, host: H, survey: Survey): Promise<StayingGuest[]>;
  /** A step for each, without an order among them. */
  describe(moves: Move[]): Graph;
}
