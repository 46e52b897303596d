/**
 * Disk images: what the factory is asked for, under which names they are kept, how they are unpacked. Pure, but for
 * `image-file.ts`, which reads the files of the user.
 */
export type { CloudConfig, CloudFile, CloudUser } from "./cloud-config.ts";
export { imageChecksumWrong, packedDownload, talosVersionNotOffered } from "./errors.ts";
export { checkExtensions } from "./extensions.ts";
export {
  bootPieceUrl,
  extensionsUrl,
  imageUrl,
  installerImage,
  schematicsUrl,
  type BootPiece,
  type FactoryBuild,
  type ImageFormat,
} from "./factory.ts";
export {
  demandUnpacker,
  fileDigest,
  findImageFile,
  measureImage,
  readImage,
  type ImageMeasure,
} from "./image-file.ts";
export { seedIso, type NocloudSeed, type SeedLink } from "./nocloud-seed.ts";
export { lentPieces } from "./lent-pieces.ts";
export { machineImage, machineIso, type MachineImage } from "./machine-image.ts";
export { readNocloudNetwork, type NocloudMachine } from "./nocloud-network.ts";
export type { PlatformNetwork } from "./platform-network.ts";
export { readSchematic } from "./read-schematic.ts";
export { schematicId, schematicYaml, type Schematic } from "./schematic.ts";
export { talosImage, talosIso, type ImageChoice, type LocalImage, type TalosImage } from "./talos-image.ts";
export { unpackStream } from "./unpack-stream.ts";
export { canProxmoxUnpack, packingOf, type Packing } from "./unpacking.ts";
