/** Machines that are there already: found, looked at, switched on, taken into a cluster and given back. */
export { existingProvider, type ExistingProviderOptions } from "./declare.ts";
