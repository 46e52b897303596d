import { libvirtSocket, withoutLibvirt } from "./libvirtd.ts";
import { isFull } from "../whole-sweep.ts";
import { labFile } from "../peers.ts";

/** A real image with cloud-init, from where lab/build-cloud-image.sh puts it. */
export const cloudImage = labFile("cloud-image/debian-12.qcow2");

/** Three machines and a restart take ten minutes without KVM; a full run has one machine, which takes three. */
export const hasManyGuests = process.env["SLIPWAY_GUESTS"] !== undefined;

/** Why no real guests are started here; empty: they are. */
export const withoutGuests = [
  ...(hasManyGuests || isFull
    ? []
    : ["takes minutes: SLIPWAY_GUESTS=1 runs it, SLIPWAY_FULL=1 a part of it"]),
  ...(libvirtSocket === undefined ? [withoutLibvirt] : []),
  ...(cloudImage === undefined ? ["needs a cloud image: lab/build-cloud-image.sh builds it (as root)"] : []),
].join("; ");
