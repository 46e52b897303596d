import { talosIso } from "../../../images/index.ts";
import type { GraphNode, PlacedNode } from "../../../plan/index.ts";
import type { NewMachine } from "../../../clients/proxmox/index.ts";
import { describeImages, imageStep } from "../describe-images.ts";
import type { IsoWant } from "../detach-iso.ts";
import { volumeOf } from "../image-volume.ts";
import type { MachineWant } from "../machine-config.ts";
import { newDisk } from "../machine-drives.ts";
import type { MachineSource, Origin, OriginView } from "./origin.ts";

const usualDetachMs = 1_500;

/** An ISO on every host, machines with an empty disk that start from it, and the ISO taken out afterwards. */
export function fromIso(view: OriginView, given: string | undefined): Origin {
  const { cluster, hosts, canRegister } = view;
  const iso = talosIso(cluster.distribution);
  const volumeFor = ({ host }: PlacedNode): string =>
    given ?? volumeOf({ storage: host.proxmox.storage.isos, file: iso.fileName });
  return {
    before: given === undefined ? describeImages(cluster, hosts, iso, canRegister) : [],
    sourceOf: (placed) => ({
      image: fileOf(volumeFor(placed)),
      from: { kind: "iso", volume: volumeFor(placed) },
      after: given === undefined ? [imageStep(cluster.name, placed.host.name)] : [],
      facts: { from: given === undefined ? "ISO" : `ISO ${given}` },
    }),
    afterwards: view.placed.map((placed) => detachNode(view, placed, volumeFor(placed))),
  };
}

/** The storage and the file of `local:iso/x.iso`. */
function fileOf(volume: string): { storage: string; file: string } {
  const [storage = "", name = ""] = volume.split(":");
  return { storage, file: name.slice(name.indexOf("/") + 1) };
}

function detachNode(
  { cluster, needs }: OriginView,
  { node, host, vmid }: PlacedNode,
  volume: string,
): GraphNode<IsoWant> {
  const machine = `${cluster.name}/machine/${node.name}`;
  return {
    id: `${cluster.name}/iso/${node.name}`,
    kind: "proxmox/iso-detached",
    name: `ISO of machine ${node.name}`,
    title: `Detach the ISO from machine ${node.name}`,
    want: {
      host: host.name,
      vmid,
      cluster: cluster.name,
      node: node.name,
      slot: isoSlot(cluster.distribution),
      volume,
    },
    after: [machine, needs.installedStep(node.name)],
    within: [machine],
    group: "nodes",
    stage: "kubernetes",
    cluster: cluster.name,
    host: host.name,
    node: node.name,
    role: node.role,
    usualMs: usualDetachMs,
  };
}

/** An arm64 machine has no IDE; there the last slot is the seed's. */
const isoSlot = ({ architecture }: { architecture?: string }): "ide0" | "scsi29" =>
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
