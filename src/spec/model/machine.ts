import type { FilePart } from "./file-part.ts";

/** How the machines of a cluster come into being. */
export type MachineBootSource =
  /** The system disk is a copy of the image. */
  | { kind: "image" }
  /** An empty disk and an ISO to install from. `volume` names one that is already on every host. */
  | { kind: "iso"; volume?: string }
  /** A template of ours per role and host, made from the image. */
  | { kind: "template"; clone: CloneKind; vmids: { "control-plane": number; worker: number } }
  /** A template that somebody else keeps. */
  | { kind: "existing"; vmid: number; clone: CloneKind };

/** Linked clones share the template's blocks; `auto` makes them where the storage can. */
export type CloneKind = "auto" | "linked" | "full";

/** What a machine is made of beside its cores, memory, disks and NICs. What is absent is the provider's choice. */
export type Hardware = FilePart<"hardware">;
