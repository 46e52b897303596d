import { talosOf, type Cluster } from "../../spec/index.ts";
import { bootPieceUrl, installerImage, pxeUrl, type FactoryBuild } from "./factory-urls.ts";
import { schematicYaml } from "./schematic.ts";
import { talosIso } from "./talos-image.ts";

/** What machines without a hypervisor are started from, each by its address at the factory. */
export interface BootMedia {
  title: string;
  factory: string;
  schematic: { id: string; text: string };
  /** For a stick, or the virtual drive of a management controller. */
  iso: string;
  /** A script that iPXE follows. */
  pxe: string;
  kernel: string;
  initramfs: string;
  /** The text of the kernel's command line. */
  cmdline: string;
  /** What they install themselves from. */
  installer: string;
}

export function bootMedia(cluster: Pick<Cluster, "name" | "distribution">): BootMedia {
  const distribution = talosOf(cluster);
  const { factory, version, architecture, isSecureBoot = false } = distribution;
  const { url, schematicId, schematic = {} } = talosIso(distribution, "metal");
  const build: FactoryBuild = { factory, schematicId, version, platform: "metal", isSecureBoot };
  const piece = (name: "kernel" | "initramfs" | "cmdline"): string =>
    bootPieceUrl({ ...build, architecture, piece: name });
  return {
    title: `Talos ${version} for ${architecture}`,
    factory,
    schematic: { id: schematicId, text: schematicYaml(schematic) },
    iso: url,
    pxe: pxeUrl({ ...build, architecture }),
    kernel: piece("kernel"),
    initramfs: piece("initramfs"),
    cmdline: piece("cmdline"),
    installer: installerImage(build),
  };
}
