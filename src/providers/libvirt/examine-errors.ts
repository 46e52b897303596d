import { SlipwayError } from "../../errors/index.ts";

interface Place {
  cluster: string;
  node: string;
  host: string;
}

const words: Record<string, string> = {
  destroyed: "somebody pulled its plug (virsh destroy, or a program that did the same)",
  shutdown: "its own system shut down, or was asked to",
  saved: "its memory was saved to a file, and it waits to be restored",
  migrated: "it was moved to another host",
};

export const machineOff = (f: Place & { reason: string }) =>
  new SlipwayError({
    code: "LIBVIRT_MACHINE_OFF",
    what: `${f.node} is switched off on ${f.host}`,
    why: words[f.reason] ?? "libvirt does not say since when: the host may have been restarted",
    next: `Run "slipway up ${f.cluster}", which starts it`,
  });

export const machineCrashed = (f: Place & { reason: string }) =>
  new SlipwayError({
    code: "LIBVIRT_MACHINE_CRASHED",
    what: `${f.node} crashed on ${f.host}`,
    why: `libvirt says its process ${f.reason === "failed" ? "could not start" : "ended by itself"}; for lack of memory the kernel kills it in the same way`,
    next: `Look at /var/log/libvirt/qemu on ${f.host} and at "dmesg | grep -i oom", then run "slipway up ${f.cluster}"`,
  });

export const machineHeld = (f: Place & { reason: string }) =>
  new SlipwayError({
    code: "LIBVIRT_MACHINE_HELD",
    what: `${f.node} is paused on ${f.host}`,
    why: f.reason === "unknown" ? "libvirt does not say by whom" : `libvirt says: ${f.reason}`,
    next: `Run "virsh resume" for it on ${f.host}`,
  });

export const poolRanFull = (f: Place & { pool: string | undefined }) =>
  new SlipwayError({
    code: "LIBVIRT_POOL_RAN_FULL",
    what: `${f.host} paused ${f.node}: a disk could not be written`,
    why: `libvirt says io error${f.pool === undefined ? "" : `, and pool "${f.pool}" is full`}`,
    next: `Free space ${f.pool === undefined ? "where its disks are" : `in pool "${f.pool}"`}, then run "virsh resume" for it on ${f.host}`,
  });
