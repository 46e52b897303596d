import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { libvirtSocket, withoutLibvirt } from "./libvirtd.ts";

const cache = process.env["SLIPWAY_LAB_CACHE"] ?? path.join(os.homedir(), ".cache/slipway-lab");
const image = path.join(cache, "cloud-image/debian-12.qcow2");

/** A real image with cloud-init, from where lab/build-cloud-image.sh puts it. */
export const cloudImage = existsSync(image) ? image : undefined;

/** Why no real guests are started here; empty: they are. */
export const withoutGuests = [
  ...(process.env["SLIPWAY_GUESTS"] === undefined ? ["takes minutes: SLIPWAY_GUESTS=1 runs it"] : []),
  ...(libvirtSocket === undefined ? [withoutLibvirt] : []),
  ...(cloudImage === undefined ? ["needs a cloud image: lab/build-cloud-image.sh builds it (as root)"] : []),
].join("; ");
