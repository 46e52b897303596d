import type { Architecture } from "../spec/index.ts";

/** A build of the image factory: which schematic, which Talos, for which machine. */
export interface FactoryBuild {
  /** Address of the factory, e.g. `https://factory.talos.dev`. */
  factory: string;
  schematicId: string;
  /** Without a leading v. */
  version: string;
  platform: "nocloud" | "metal";
}

/** Where a disk image is downloaded. Proxmox does not unpack imported images, so the plain format is asked for. */
export const imageUrl = (
  build: FactoryBuild & { architecture: Architecture; format?: "qcow2" | "raw" | "iso" },
): string =>
  `${origin(build.factory)}/image/${build.schematicId}/v${build.version}/${build.platform}-${build.architecture}.${build.format ?? "qcow2"}`;

/**
 * The container image Talos installs and upgrades itself from.
 * It must be the one of the node's platform: another one silently changes the platform and with it address and name.
 * Before 1.10 the factory knew one installer for all platforms.
 */
export function installerImage(build: FactoryBuild): string {
  const minor = Number(build.version.split(".")[1]);
  const name = minor >= 10 ? `${build.platform}-installer` : "installer";
  return `${origin(build.factory).replace(/^https?:\/\//, "")}/${name}/${build.schematicId}:v${build.version}`;
}

const origin = (factory: string): string => {
  const trimmed = factory.replace(/\/+$/, "");
  return /^https?:\/\//.test(trimmed) ? trimmed : `https://${trimmed}`;
};
