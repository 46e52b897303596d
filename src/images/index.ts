/**
 * Disk images: what the factory is asked for, under which names they are kept, how they are unpacked. Pure, but for
 * `image-file.ts`, which reads the files of the user.
 */
export type { CloudConfig, CloudFile, CloudUser } from "./seed/cloud-config.ts";
export { imageChecksumWrong, packedDownload, versionNotOffered } from "./errors.ts";
export { bootMedia, type BootMedia } from "./factory/boot-media.ts";
export { checkExtensions } from "./factory/extensions.ts";
export {
  bootPieceUrl,
  imageUrl,
  installerImage,
  type BootPiece,
  type FactoryBuild,
  type ImageFormat,
} from "./factory/factory-urls.ts";
export {
  demandUnpacker,
  fileDigest,
  findImageFile,
  measureImage,
  readImage,
  type ImageMeasure,
} from "./image-file.ts";
export { seedFilesOn } from "./seed/read-iso.ts";
export { seedIso, type NocloudSeed, type SeedLink } from "./seed/nocloud-seed.ts";
export { lentPieces } from "./lent-pieces.ts";
export { imageFactory, machineImage, machineIso, type MachineImage } from "./machine-image.ts";
export { readNocloudNetwork, type NocloudMachine } from "./nocloud-network.ts";
export type { PlatformNetwork } from "./platform-network.ts";
export { readSchematic } from "./factory/read-schematic.ts";
export { schematicId, schematicYaml, type Schematic } from "./factory/schematic.ts";
export {
  talosImage,
  talosIso,
  type ImageChoice,
  type LocalImage,
  type TalosImage,
} from "./factory/talos-image.ts";
export { unpackStream } from "./unpack-stream.ts";
export { canProxmoxUnpack, packingOf, type Packing } from "./unpacking.ts";
