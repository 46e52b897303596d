import { libvirtSocket, withoutLibvirt } from "./libvirtd.ts";
import { labFile } from "../peers.ts";

/** What real machines boot in place of Talos, from where lab/build-stand-in-image.sh puts it. */
export const standInImage = labFile("stand-in-image/talos-v1.13.9-stand-in.qcow2");

/** Why no such machines are started here; empty: they are. */
export const withoutStandIns = [
  ...(libvirtSocket === undefined ? [withoutLibvirt] : []),
  ...(standInImage === undefined ? ["needs an image: lab/build-stand-in-image.sh builds it"] : []),
].join("; ");
