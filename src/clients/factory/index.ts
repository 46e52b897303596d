/** Speaks to an image factory: schematics, versions, extensions, images. It knows nothing of clusters. */
export { connectFactory, type FactoryClient, type FactoryOptions, type Registered } from "./client.ts";
export type { FactoryTrust } from "./exchange.ts";
