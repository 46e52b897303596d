import { defineError } from "../../../errors/index.ts";

/** Machines that share a cause. */
export interface Stopped {
  cluster: string;
  nodes: string[];
  /** The Proxmox node they are on. */
  on: string;
}

const named = (nodes: string[]): string =>
  nodes.length < 2 ? (nodes[0] ?? "") : `${nodes.slice(0, -1).join(", ")} and ${nodes.at(-1)}`;

const starts = ({ cluster, nodes }: Stopped): string =>
  `then run "slipway up ${cluster}", which starts ${nodes.length === 1 ? "it" : "them"}`;

export const outOfMemory = defineError(
  "PVE_OUT_OF_MEMORY",
  (
    f: Stopped & {
      missingMiB: number;
      used: number;
      total: number;
      room: { host: string; freeMiB: number } | undefined;
    },
  ) => ({
    what: `${f.on} stopped ${named(f.nodes)}: out of memory`,
    why: `${(f.used / 1024).toFixed(1)} of ${(f.total / 1024).toFixed(1)} GiB are in use, and no task stopped it`,
    next: `Free ${Math.ceil(f.missingMiB / 1024)} GiB on ${f.on}, ${starts(f)}`,
    else:
      f.room &&
      `Put ${f.nodes.at(-1)} on ${f.room.host} in the file (${Math.floor(f.room.freeMiB / 1024)} GiB free there), then run "slipway up ${f.cluster}"`,
  }),
  [{ room: undefined }],
);

export const stoppedByHand = defineError(
  "PVE_STOPPED_BY_HAND",
  (f: Stopped & { by: string; ago: string }) => ({
    what: `${f.by} stopped ${named(f.nodes)}`,
    why: `a task on ${f.on} says so, ${f.ago}; the machines themselves are intact`,
    next: `Ask whether it was intended; if not, ${starts(f).replace("then ", "")}`,
  }),
);

export const startFailed = defineError("PVE_START_FAILED", (f: Stopped & { why: string }) => ({
  what: `${f.on} cannot start ${named(f.nodes)}`,
  why: `the last start ended with: ${f.why}`,
  next: `Correct what it names on ${f.on}, ${starts(f)}`,
}));

export const haGaveUp = defineError("PVE_HA_GAVE_UP", (f: Stopped & { vmid: number; state: string }) => ({
  what: `High availability of Proxmox gave up on ${named(f.nodes)}`,
  why: `its state is ${f.state}, and Proxmox starts nothing in that state`,
  next: `On ${f.on} run "ha-manager set vm:${f.vmid} --state disabled" and then "--state started"`,
}));

export const machineLocked = defineError(
  "PVE_LOCK_HOLDS_START",
  (f: Stopped & { vmid: number; lock: string }) => ({
    what: `${named(f.nodes)} cannot start while it is locked`,
    why: `machine ${f.vmid} on ${f.on} holds the lock "${f.lock}"`,
    next: `Wait for the task that holds it; if none runs any more, run "qm unlock ${f.vmid}" on ${f.on}`,
  }),
);

export const storageRanFull = defineError(
  "PVE_STORAGE_RAN_FULL",
  (f: Stopped & { storage: string | undefined }) => ({
    what: `${f.on} froze ${named(f.nodes)}: a disk could not be written`,
    why: `Proxmox says io-error${f.storage === undefined ? "" : `, and storage "${f.storage}" is full`}`,
    next: `Free space on ${f.storage === undefined ? "its storage" : `"${f.storage}"`}, then start ${f.nodes[0] ?? "it"} again in the Proxmox web page (Resume)`,
  }),
  [{ storage: undefined }],
);

export const machineFrozen = defineError(
  "PVE_MACHINE_FROZEN",
  (f: Stopped & { vmid: number; condition: string }) => ({
    what: `${named(f.nodes)} is powered on, but does not run`,
    why: `Proxmox says ${f.condition}`,
    next: `Run "qm resume ${f.vmid}" on ${f.on}, or stop it and run "slipway up ${f.cluster}"`,
  }),
);

export const guestWentDown = defineError("PVE_GUEST_WENT_DOWN", (f: Stopped) => ({
  what: `${named(f.nodes)} went down, and Proxmox did not stop it`,
  why: `no task on ${f.on} stopped it and there is memory left: its own system shut down, or ${f.on} lost power`,
  next: `Run "slipway up ${f.cluster}", which starts it; "slipway console ${f.cluster}/${f.nodes[0] ?? ""}" shows how it comes up`,
}));
