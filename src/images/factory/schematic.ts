import { createHash } from "node:crypto";
import { writeYaml, type YamlValue } from "../../lib/index.ts";

/** What an image of the Talos image factory is made of. */
export interface Schematic {
  owner?: string;
  overlay?: { image?: string; name?: string; options?: Record<string, YamlValue> };
  embeddedMachineConfiguration?: string;
  extraKernelArgs?: string[];
  meta?: { key: number; value: string }[];
  officialExtensions?: string[];
  bootloader?: "auto" | "dual-boot" | "grub" | "sd-boot";
  secureboot?: { enrollKeys?: string; includeWellKnownCertificates?: boolean };
  diskImage?: { sectorSize?: number };
}

/**
 * The text the factory hashes and keeps: keys in fixed order, empty things left out, `customization` always there.
 * Lists keep the order they are given in, so the same set in another order has another id.
 */
export function schematicYaml(schematic: Schematic): string {
  const { overlay, secureboot, diskImage } = schematic;
  return writeYaml({
    owner: unlessEmpty(schematic.owner),
    overlay: unlessEmpty(
      overlay && (overlay.image || overlay.name || unlessEmpty(overlay.options))
        ? { image: overlay.image ?? "", name: overlay.name ?? "", options: unlessEmpty(overlay.options) }
        : undefined,
    ),
    customization: {
      embeddedMachineConfiguration: unlessEmpty(schematic.embeddedMachineConfiguration),
      extraKernelArgs: unlessEmpty(schematic.extraKernelArgs),
      meta: unlessEmpty(schematic.meta?.map(({ key, value }) => ({ key, value }))),
      systemExtensions: unlessEmpty({
        officialExtensions: unlessEmpty(schematic.officialExtensions),
      }),
      bootloader: unlessEmpty(schematic.bootloader),
      secureboot: unlessEmpty({
        enrollKeys: unlessEmpty(secureboot?.enrollKeys),
        includeWellKnownCertificates: unlessEmpty(secureboot?.includeWellKnownCertificates),
      }),
      diskImage: unlessEmpty({ sectorSize: unlessEmpty(diskImage?.sectorSize) }),
    },
  });
}

/** The factory's name for the schematic, known without asking it. */
export const schematicId = (schematic: Schematic): string =>
  createHash("sha256").update(schematicYaml(schematic)).digest("hex");

function unlessEmpty<T extends YamlValue>(value: T): T | undefined {
  if (value === "" || value === 0 || value === false || value === null) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  if (typeof value === "object")
    return Object.values(value).every((v) => v === undefined) ? undefined : value;
  return value;
}
