/** Disk images: what the factory is asked for and under which names it is kept. Pure. */
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
export { readNocloudNetwork, type NocloudMachine } from "./nocloud-network.ts";
export type { PlatformNetwork } from "./platform-network.ts";
export { readSchematic } from "./read-schematic.ts";
export { schematicId, schematicYaml, type Schematic } from "./schematic.ts";
export { talosImage, type TalosImage } from "./talos-image.ts";
export { canProxmoxUnpack, packingOf, type Packing } from "./unpacking.ts";
