/** Machines that are there already: found, looked at, switched on, taken into a cluster and given back. */
export { existingDiscovery, existingProvider, type ExistingProviderOptions } from "./declare.ts";
