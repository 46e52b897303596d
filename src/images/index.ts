/** Disk images: what the factory is asked for and under which names it is kept. Pure. */
export { imageUrl, installerImage, type FactoryBuild } from "./factory.ts";
export { schematicId, schematicYaml, type Schematic } from "./schematic.ts";
export { talosImage, type TalosImage } from "./talos-image.ts";
