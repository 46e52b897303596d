import { SlipwayError, type Position } from "../../../errors/index.ts";

interface AboutTemplate {
  /** What it is needed for: `create machine cp-1`. */
  doing: string;
  template: number;
  at?: Position;
}

const place = ({ at }: { at?: Position }) => (at === undefined ? {} : { at });

export const templateMissing = (f: AboutTemplate & { node: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_TEMPLATE_MISSING",
    what: `Cannot ${f.doing}`,
    why: `there is no template ${f.template} on ${f.node} or anywhere in its Proxmox cluster, or this token may not see it`,
    next: `Name a template that exists in "from.existing.vmid", or grant the token VM.Audit and VM.Clone on /vms/${f.template}`,
    ...place(f),
  });

export const notATemplate = (f: AboutTemplate & { node: string; name: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_NOT_A_TEMPLATE",
    what: `Cannot ${f.doing}`,
    why: `${f.template} on ${f.node} is the machine "${f.name}", not a template; Slipway clones templates only`,
    next: `Name another number in the cluster file, or on ${f.node} run "qm template ${f.template}"`,
    ...place(f),
  });

export const templateElsewhere = (
  f: AboutTemplate & { node: string; on: string; storage: string },
): SlipwayError =>
  new SlipwayError({
    code: "PVE_TEMPLATE_ELSEWHERE",
    what: `Cannot ${f.doing}`,
    why: `template ${f.template} is on ${f.on}, and ${f.node} does not reach its disk: storage "${f.storage}" is not shared`,
    next: `Put the template's disk on a shared storage, keep the nodes on ${f.on}, or write from: template to have one on each host`,
    ...place(f),
  });

export const templateWithoutDisk = (f: AboutTemplate & { node: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_TEMPLATE_WITHOUT_DISK",
    what: `Cannot ${f.doing}`,
    why: `template ${f.template} on ${f.node} has no disk in its boot order, or one on a storage this token may not see`,
    next: `Give the template a system disk, or name another template in the cluster file`,
    ...place(f),
  });

export const templateTooLarge = (
  f: AboutTemplate & { node: string; fromGiB: number; toGiB: number },
): SlipwayError =>
  new SlipwayError({
    code: "PVE_TEMPLATE_TOO_LARGE",
    what: `Cannot ${f.doing}`,
    why: `the disk of template ${f.template} has ${f.fromGiB} GiB and that of ${f.node} is to have ${f.toGiB} GiB; Proxmox can only grow a disk`,
    next: `Write disk: ${Math.ceil(f.fromGiB)}GiB or more in the cluster file`,
    ...place(f),
  });

export const templateFirmware = (
  f: AboutTemplate & { node: string; found: string; wanted: string },
): SlipwayError =>
  new SlipwayError({
    code: "PVE_TEMPLATE_FIRMWARE",
    what: `Cannot ${f.doing}`,
    why: `template ${f.template} starts with ${f.found} and ${f.node} is to start with ${f.wanted}; what is on its disk was made for one of them`,
    next: `Write hardware: { firmware: ${f.found} } in the cluster file, or name another template`,
    ...place(f),
  });

export const cannotLink = (f: { on: string; why: string; at?: Position }): SlipwayError =>
  new SlipwayError({
    code: "PVE_LINKED_CLONE_IMPOSSIBLE",
    what: `Cannot make linked clones on "${f.on}"`,
    why: f.why,
    next: "Write clone: full, or auto to link only where that is possible",
    ...place(f),
  });

export const foreignTemplate = (f: {
  doing: string;
  vmid: number;
  node: string;
  owner: string;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_FOREIGN_MACHINE",
    what: `Cannot ${f.doing}`,
    why: `VMID ${f.vmid} on ${f.node} is ${f.owner}; Slipway touches only machines that carry its mark`,
    next: `Give the template another number in the cluster file, or remove machine ${f.vmid} yourself`,
  });

export const stuckTemplate = (f: { doing: string; vmid: number; node: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_STUCK_MACHINE",
    what: `Cannot ${f.doing}`,
    why: `machine ${f.vmid} is locked as being created, but no task on ${f.node} works on it any more`,
    next: `On ${f.node} run "qm unlock ${f.vmid} && qm destroy ${f.vmid} --purge", then run "slipway up" again`,
  });
