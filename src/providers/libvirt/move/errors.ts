import { defineError } from "../../../errors/index.ts";

interface Facts {
  node: string;
  from: string;
  to: string;
}

export const machineGone = defineError("LIBVIRT_MOVED_MACHINE_GONE", (f: Facts) => ({
  what: `Cannot move machine "${f.node}"`,
  why: `it is neither on ${f.from} nor on ${f.to} any more`,
  next: "See what is there: slipway status",
}));

export const twinThere = defineError("LIBVIRT_MOVE_TWIN", (f: Facts) => ({
  what: `Cannot move machine "${f.node}"`,
  why: `${f.to} has a machine of it already, beside the one on ${f.from}`,
  next: `See which one is which: slipway status`,
}));

export const nameTaken = defineError(
  "LIBVIRT_MOVE_NAME_TAKEN",
  (f: Facts & { volume: string; pool: string }) => ({
    what: `Cannot move machine "${f.node}"`,
    why: `pool "${f.pool}" on ${f.to} already has a volume "${f.volume}"`,
    next: `Look what it is on ${f.to}; if it is not needed: virsh vol-delete ${f.volume} --pool ${f.pool}`,
  }),
);

export const cannotFollow = defineError("LIBVIRT_MOVE_UNFIT", (f: Facts & { reason: string }) => ({
  what: `Cannot move machine "${f.node}"`,
  why: f.reason,
  next: "Put right what is named, then run the same command again",
}));

export const copyCutShort = defineError(
  "LIBVIRT_COPY_DIFFERS",
  (f: { volume: string; sent: number; found: number }) => ({
    what: `Cannot copy volume "${f.volume}"`,
    why: `${f.sent} bytes were sent, and ${f.found} bytes are there`,
    next: "See that nobody else writes to that pool, then run the same command again",
  }),
);

export const notRebased = defineError(
  "LIBVIRT_DISK_NOT_REBASED",
  (f: { volume: string; reason: string }) => ({
    what: `Cannot copy disk "${f.volume}"`,
    why: `its header cannot be told where its image lies on the other host: ${f.reason}`,
    next: "Keep the pool of both hosts in the same folder, then run the same command again",
  }),
);

export const halfMoved = defineError(
  "LIBVIRT_HALF_MOVED",
  (f: { doing: string; node: string; host: string; from: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `what ${f.host} has of it is one end of a move that was cut`,
    next: `Let the move go on: slipway evacuate ${f.from}`,
  }),
);
