import type { Architecture } from "../../spec/index.ts";

/** A build of the image factory: which schematic, which Talos, for which machine. */
export interface FactoryBuild {
  /** Address of the factory or of a mirror of it, e.g. `https://factory.talos.dev`. */
  factory: string;
  schematicId: string;
  /** Without a leading v. */
  version: string;
  platform: "nocloud" | "metal";
  isSecureBoot?: boolean;
}

/** The plain formats, packed ones, and the pieces for booting from the network. */
export type ImageFormat =
  | "qcow2"
  | "raw"
  | "iso"
  | "vhd"
  | "ova"
  | "raw.xz"
  | "raw.gz"
  | "raw.zst"
  | "qcow2.xz"
  | "qcow2.gz"
  | "qcow2.zst";

export type BootPiece = "kernel" | "initramfs" | "cmdline" | "uki";

/** Where a disk image is downloaded. Proxmox does not unpack imported images, so the plain format is asked for. */
export const imageUrl = (
  build: FactoryBuild & { architecture: Architecture; format?: ImageFormat },
): string =>
  `${folder(build)}/${build.platform}-${build.architecture}${secureBoot(build)}.${build.format ?? "qcow2"}`;

export function bootPieceUrl(build: FactoryBuild & { architecture: Architecture; piece: BootPiece }): string {
  const machine = `${build.platform}-${build.architecture}${secureBoot(build)}`;
  const names: Record<BootPiece, string> = {
    kernel: `kernel-${build.architecture}`,
    initramfs: `initramfs-${build.architecture}.xz`,
    cmdline: `cmdline-${machine}`,
    uki: `${machine}-uki.efi`,
  };
  return `${folder(build)}/${names[build.piece]}`;
}

/** The script of iPXE that starts the same. */
export const pxeUrl = (build: FactoryBuild & { architecture: Architecture }): string =>
  `${origin(build.factory)}/pxe/${build.schematicId}/v${build.version}/${build.platform}-${build.architecture}${secureBoot(build)}`;

/**
 * The container image Talos installs and upgrades itself from.
 * It must be the one of the node's platform: another one silently changes the platform and with it address and name.
 * Before 1.10 the factory knew one installer for all platforms.
 */
export function installerImage(build: FactoryBuild): string {
  const minor = Number(build.version.split(".")[1]);
  const name = `${minor >= 10 ? `${build.platform}-installer` : "installer"}${secureBoot(build)}`;
  return `${origin(build.factory).replace(/^https?:\/\//, "")}/${name}/${build.schematicId}:v${build.version}`;
}

const folder = (build: FactoryBuild): string =>
  `${origin(build.factory)}/image/${build.schematicId}/v${build.version}`;

const secureBoot = (build: FactoryBuild): string => (build.isSecureBoot ? "-secureboot" : "");

const origin = (factory: string): string => {
  const trimmed = factory.replace(/\/+$/, "");
  return /^https?:\/\//.test(trimmed) ? trimmed : `https://${trimmed}`;
};
