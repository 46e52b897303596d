import { defineError, type Position } from "../../../errors/index.ts";

interface AboutTemplate {
  /** What it is needed for: `create machine cp-1`. */
  doing: string;
  template: number;
  at?: Position;
}

const place = ({ at }: { at?: Position }) => (at === undefined ? {} : { at });

export const templateMissing = defineError("PVE_TEMPLATE_MISSING", (f: AboutTemplate & { node: string }) => ({
  what: `Cannot ${f.doing}`,
  why: `there is no template ${f.template} on ${f.node} or anywhere in its Proxmox cluster, or this token may not see it`,
  next: `Name a template that exists in "from.existing.vmid", or grant the token VM.Audit and VM.Clone on /vms/${f.template}`,
  ...place(f),
}));

export const notATemplate = defineError(
  "PVE_NOT_A_TEMPLATE",
  (f: AboutTemplate & { node: string; name: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `${f.template} on ${f.node} is the machine "${f.name}", not a template; Slipway clones templates only`,
    next: `Name another number in the cluster file, or on ${f.node} run "qm template ${f.template}"`,
    ...place(f),
  }),
);

export const templateElsewhere = defineError(
  "PVE_TEMPLATE_ELSEWHERE",
  (f: AboutTemplate & { node: string; on: string; storage: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `template ${f.template} is on ${f.on}, and ${f.node} does not reach its disk: storage "${f.storage}" is not shared`,
    next: `Put the template's disk on a shared storage, keep the nodes on ${f.on}, or write from: template to have one on each host`,
    ...place(f),
  }),
);

export const templateWithoutDisk = defineError(
  "PVE_TEMPLATE_WITHOUT_DISK",
  (f: AboutTemplate & { node: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `template ${f.template} on ${f.node} has no disk in its boot order, or one on a storage this token may not see`,
    next: `Give the template a system disk, or name another template in the cluster file`,
    ...place(f),
  }),
);

export const templateTooLarge = defineError(
  "PVE_TEMPLATE_TOO_LARGE",
  (f: AboutTemplate & { node: string; fromGiB: number; toGiB: number }) => ({
    what: `Cannot ${f.doing}`,
    why: `the disk of template ${f.template} has ${f.fromGiB} GiB and that of ${f.node} is to have ${f.toGiB} GiB; Proxmox can only grow a disk`,
    next: `Write disk: ${Math.ceil(f.fromGiB)}GiB or more in the cluster file`,
    ...place(f),
  }),
);

export const templateFirmware = defineError(
  "PVE_TEMPLATE_FIRMWARE",
  (f: AboutTemplate & { node: string; found: string; wanted: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `template ${f.template} starts with ${f.found} and ${f.node} is to start with ${f.wanted}; what is on its disk was made for one of them`,
    next: `Write hardware: { firmware: ${f.found} } in the cluster file, or name another template`,
    ...place(f),
  }),
);

export const cannotLink = defineError(
  "PVE_LINKED_CLONE_IMPOSSIBLE",
  (f: { on: string; why: string; at?: Position }) => ({
    what: `Cannot make linked clones on "${f.on}"`,
    why: f.why,
    next: "Write clone: full, or auto to link only where that is possible",
    ...place(f),
  }),
);

export const foreignTemplate = defineError(
  "PVE_FOREIGN_MACHINE",
  (f: { doing: string; vmid: number; node: string; owner: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `VMID ${f.vmid} on ${f.node} is ${f.owner}; Slipway touches only machines that carry its mark`,
    next: `Give the template another number in the cluster file, or remove machine ${f.vmid} yourself`,
  }),
);

export const stuckTemplate = defineError(
  "PVE_STUCK_MACHINE",
  (f: { doing: string; vmid: number; node: string }) => ({
    what: `Cannot ${f.doing}`,
    why: `machine ${f.vmid} is locked as being created, but no task on ${f.node} works on it any more`,
    next: `On ${f.node} run "qm unlock ${f.vmid} && qm destroy ${f.vmid} --purge", then run "slipway up" again`,
  }),
);
