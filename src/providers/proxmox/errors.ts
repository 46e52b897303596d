import { SlipwayError } from "../../errors/index.ts";

export const foreignMachine = (f: {
  doing: string;
  vmid: number;
  node: string;
  owner: string;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_FOREIGN_MACHINE",
    what: `Cannot ${f.doing}`,
    why: `VMID ${f.vmid} on ${f.node} is ${f.owner}; Slipway touches only machines that carry its mark`,
    next: `Give the node another vmid in the cluster file, or remove machine ${f.vmid} yourself`,
  });

export const hiddenMachine = (f: { doing: string; vmid: number }): SlipwayError =>
  new SlipwayError({
    code: "PVE_FOREIGN_MACHINE",
    what: `Cannot ${f.doing}`,
    why: `VMID ${f.vmid} is taken by a machine or container this token may not see`,
    next: `Give the node another vmid in the cluster file`,
  });

export const stuckMachine = (f: { doing: string; vmid: number; node: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_STUCK_MACHINE",
    what: `Cannot ${f.doing}`,
    why: `machine ${f.vmid} is locked as being created, but no task on ${f.node} works on it any more`,
    next: `On ${f.node} run "qm unlock ${f.vmid} && qm destroy ${f.vmid} --purge", then run "slipway up" again`,
  });

export const imageMissing = (f: { file: string; storage: string; node: string }): SlipwayError =>
  new SlipwayError({
    code: "PVE_IMAGE_MISSING",
    what: `Cannot find image "${f.file}" on ${f.node}`,
    why: `the transfer ended well, but storage "${f.storage}" does not list the file`,
    next: `Look at storage "${f.storage}" in the Proxmox web page: it must be active and hold "Import" content`,
    transient: true,
  });

export const imageNotFetched = (f: {
  file: string;
  node: string;
  url: string;
  reason: string;
  isFleeting: boolean;
}): SlipwayError =>
  new SlipwayError({
    code: "PVE_IMAGE_NOT_FETCHED",
    what: `Cannot download image "${f.file}" to ${f.node}`,
    why: `${f.node} tried to fetch ${f.url}; ${f.reason}`,
    next: `On ${f.node} try "wget --spider ${f.url}": the node itself needs the network, DNS and a proxy if you use one`,
    transient: f.isFleeting,
    shared: f.url,
  });

export const shrinksDisk = (f: { node: string; fromGiB: number; toGiB: number }): SlipwayError =>
  new SlipwayError({
    code: "PVE_DISK_SHRINKS",
    what: `Cannot shrink the system disk of machine "${f.node}"`,
    why: `it has ${f.fromGiB} GiB and the cluster file says ${f.toGiB} GiB; Proxmox can only grow a disk`,
    next: `Write disk: ${f.fromGiB}GiB in the cluster file, or replace the node`,
  });

export const schematicNamedOtherwise = (f: {
  factory: string;
  computed: string;
  said: string;
}): SlipwayError =>
  new SlipwayError({
    code: "FACTORY_OTHER_ID",
    what: `Cannot use schematic ${f.computed.slice(0, 12)} of ${f.factory}`,
    why: `the factory calls it ${f.said} and knows nothing under the id computed here, ${f.computed}; an edition with owners writes them into every schematic`,
    next: `Write image: { url: ${f.factory}/image/${f.said}/vVERSION/nocloud-ARCH.qcow2 } in the cluster file`,
  });
