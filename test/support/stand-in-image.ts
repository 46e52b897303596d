import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { libvirtSocket, withoutLibvirt } from "./libvirtd.ts";

const cache = process.env["SLIPWAY_LAB_CACHE"] ?? path.join(os.homedir(), ".cache/slipway-lab");
const image = path.join(cache, "stand-in-image/talos-v1.13.9-stand-in.qcow2");

/** What real machines boot in place of Talos, from where lab/build-stand-in-image.sh puts it. */
export const standInImage = existsSync(image) ? image : undefined;

/** Why no such machines are started here; empty: they are. */
export const withoutStandIns = [
  ...(libvirtSocket === undefined ? [withoutLibvirt] : []),
  ...(standInImage === undefined ? ["needs an image: lab/build-stand-in-image.sh builds it"] : []),
].join("; ");
