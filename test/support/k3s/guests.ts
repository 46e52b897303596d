import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findK3s } from "./k3s.ts";
import { findKubectl, howToGetKubectl } from "../kube/kubectl.ts";
import { libvirtSocket, withoutLibvirt } from "../libvirt/libvirtd.ts";
import { pauseImageArchive } from "./pause-image.ts";
import { labCache, peerFile } from "../peers.ts";

/** A cloud image with the container tools that a released K3s would bring along. */
export const k3sImage = path.join(labCache(), "cloud-image/debian-12-k3s.qcow2");

/** Without a leading v. */
export const k3sVersion = path.basename(path.dirname(findK3s() ?? "")).replace(/^v/, "");

/** A folder with what a release of K3s has: the program, an archive of images, and the sums of both. */
export function writeRelease(folder: string): void {
  const program = findK3s() ?? "";
  const images = { name: "k3s-airgap-images-amd64.tar.zst", bytes: pauseImageArchive() };
  const sums = readFileSync(path.join(path.dirname(program), "sha256sum-amd64.txt"), "utf8");
  const sum = createHash("sha256").update(images.bytes).digest("hex");
  mkdirSync(folder);
  symlinkSync(program, path.join(folder, "k3s"));
  writeFileSync(path.join(folder, images.name), images.bytes);
  writeFileSync(path.join(folder, "sha256sum-amd64.txt"), `${sums}${sum}  ${images.name}\n`);
}

/** Why no guests with K3s are started here; empty: they are. */
export const withoutK3sGuests = [
  ...(process.env["SLIPWAY_GUESTS"] === undefined
    ? ["takes ten minutes and more: SLIPWAY_GUESTS=1 runs it"]
    : []),
  ...(libvirtSocket === undefined ? [withoutLibvirt] : []),
  ...(peerFile(k3sImage) ? [] : ["needs a cloud image: lab/build-cloud-image.sh --k3s builds it (as root)"]),
  ...(findK3s() === undefined ? ["needs k3s: lab/build-k3s.sh builds it"] : []),
  ...(findKubectl() === undefined ? [howToGetKubectl] : []),
].join("; ");
