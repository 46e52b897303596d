import { defineError } from "../../../errors/index.ts";

interface Place {
  cluster: string;
  node: string;
  host: string;
}

const words: Record<string, string> = {
  destroyed: "somebody powered it off (virsh destroy, or a program that did the same)",
  shutdown: "its own system shut down, or was asked to",
  saved: "its memory was saved to a file, and it waits to be restored",
  migrated: "it was moved to another host",
};

export const machineOff = defineError(
  "LIBVIRT_MACHINE_OFF",
  (f: Place & { reason: string }) => ({
    what: `${f.node} is switched off on ${f.host}`,
    why: words[f.reason] ?? "libvirt does not say since when: the host may have been restarted",
    next: `Run "slipway up ${f.cluster}", which starts it`,
  }),
  [{ reason: "destroyed" }],
  [{ reason: "shutdown" }],
  [{ reason: "saved" }],
  [{ reason: "migrated" }],
);

export const machineCrashed = defineError(
  "LIBVIRT_MACHINE_CRASHED",
  (f: Place & { reason: string }) => ({
    what: `${f.node} crashed on ${f.host}`,
    why: `libvirt says its process ${f.reason === "failed" ? "could not start" : "ended by itself"}; for lack of memory the kernel kills it in the same way`,
    next: `Look at /var/log/libvirt/qemu on ${f.host} and at "dmesg | grep -i oom", then run "slipway up ${f.cluster}"`,
  }),
  [{ reason: "failed" }],
);

export const machineHeld = defineError(
  "LIBVIRT_MACHINE_HELD",
  (f: Place & { reason: string }) => ({
    what: `${f.node} is paused on ${f.host}`,
    why: f.reason === "unknown" ? "libvirt does not say by whom" : `libvirt says: ${f.reason}`,
    next: `Run "virsh resume" for it on ${f.host}`,
  }),
  [{ reason: "unknown" }],
);

export const poolRanFull = defineError(
  "LIBVIRT_POOL_RAN_FULL",
  (f: Place & { pool: string | undefined }) => ({
    what: `${f.host} paused ${f.node}: a disk could not be written`,
    why: `libvirt says io error${f.pool === undefined ? "" : `, and pool "${f.pool}" is full`}`,
    next: `Free space ${f.pool === undefined ? "where its disks are" : `in pool "${f.pool}"`}, then run "virsh resume" for it on ${f.host}`,
  }),
  [{ pool: undefined }],
);
