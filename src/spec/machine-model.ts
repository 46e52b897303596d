/** How the machines of a cluster come into being. */
export type MachineOrigin =
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

export type Firmware = "bios" | "uefi";
export type MachineType = "i440fx" | "q35";

/** What a machine is made of beside its cores, memory, disks and cards. What is absent is the provider's choice. */
export interface Hardware {
  /** A processor type as the hypervisor names it. */
  cpu?: string;
  firmware?: Firmware;
  machine?: MachineType;
  isNuma?: boolean;
  hasTpm?: boolean;
  hasRng?: boolean;
  /** One thread of the host for each disk. */
  hasIoThreads?: boolean;
  start?: StartOrder;
}

/** When a machine comes up and goes down with its host. */
export interface StartOrder {
  isOnBoot: boolean;
  /** Lowest first. */
  order?: number;
  /** Waited after it was started, before the next one is. */
  delaySeconds?: number;
}
