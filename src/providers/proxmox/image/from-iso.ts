import { machineIso } from "../../../images/index.ts";
import { imageStep, type GraphNode, type PlacedNode } from "../../../plan/index.ts";
import type { MachineConfig, NewMachine } from "../../../clients/proxmox/index.ts";
import { describeImages, type BootSource, type BootSourceView } from "./describe-images.ts";
import type { IsoWant } from "./detach-iso.ts";
import { volumeOf } from "./image-volume.ts";
import type { MachineWant, MachineSource } from "../machine/machine-want.ts";
import { newDisk } from "../disks/machine-disks.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";

const usualDetachMs = 1_500;

/** An ISO on every host, machines with an empty disk that start from it, and the ISO taken out afterwards. */
export function fromIso(view: BootSourceView, given: string | undefined): BootSource {
  const { cluster, hosts, canRegister } = view;
  const iso = machineIso(cluster);
  const volumeFor = ({ host }: PlacedNode<ProxmoxHost>): string =>
    given ?? volumeOf({ storage: host.proxmox.storage.isos, file: iso.fileName });
  return {
    before: given === undefined ? describeImages(cluster, hosts, iso, canRegister) : [],
    sourceOf: (placed) => ({
      image: fileOf(volumeFor(placed)),
      from: { kind: "iso", volume: volumeFor(placed) },
      after: given === undefined ? [imageStep(cluster.name, placed.host.name)] : [],
      facts: { from: given === undefined ? "ISO" : `ISO ${given}` },
    }),
    afterwards: (machines) => machines.map((machine) => detachNode(view, machine)),
  };
}

/** The storage and the file of `local:iso/x.iso`. */
function fileOf(volume: string): { storage: string; file: string } {
  const [storage = "", name = ""] = volume.split(":");
  return { storage, file: name.slice(name.indexOf("/") + 1) };
}

function detachNode(
  { cluster, needs }: BootSourceView,
  { id, want, host }: GraphNode<MachineWant>,
): GraphNode<IsoWant> {
  const { node, role, vmid, from } = want;
  return {
    id: `${cluster.name}/iso/${node}`,
    kind: "proxmox/iso-detached",
    name: `ISO of machine ${node}`,
    title: `Detach the ISO from machine ${node}`,
    want: {
      host: want.host,
      vmid,
      cluster: cluster.name,
      node,
      slot: isoSlot(want),
      volume: from?.kind === "iso" ? from.volume : "",
      machine: want,
    },
    after: [id, needs.installedStep(node)],
    within: [id],
    group: "nodes",
    stage: "kubernetes",
    cluster: cluster.name,
    host,
    node,
    role,
    usualMs: usualDetachMs,
  };
}

/**
 * Whether a machine may still be about to install itself. Until then it has the disk for its system and no other: a
 * kernel numbers disks as it finds them, and what is meant for data must never be taken for the one to install to.
 */
export const isInstalling = (want: MachineWant, config: MachineConfig): boolean =>
  want.from?.kind === "iso" && config[isoSlot(want)]?.split(",")[0] === want.from.volume;

/** An arm64 machine has no IDE; there the last slot is the seed's. */
const isoSlot = ({ architecture }: { architecture?: string | undefined }): "ide0" | "scsi29" =>
  architecture === "arm64" ? "scsi29" : "ide0";

/**
 * The machine with an empty disk and the ISO. The disk stands first in the boot order: while it is blank the firmware
 * falls through to the ISO, and once Talos is on it the ISO never starts again.
 */
export function bootedFromIso(
  machine: NewMachine,
  want: MachineWant,
  from: Extract<MachineSource, { kind: "iso" }>,
): NewMachine {
  const slot = isoSlot(want);
  return {
    ...machine,
    scsi0: newDisk({ sizeGiB: want.diskGiB, storage: want.storage }, want),
    [slot]: `${from.volume},media=cdrom`,
    boot: `order=scsi0;${slot}`,
  };
}
