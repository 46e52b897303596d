/** The cluster file: schema, defaults, addresses, cross-checks, positions. Pure: text in, model or problems out. */
export type * from "./k3s-model.ts";
export type * from "./linux-model.ts";
export type * from "./addons/model.ts";
export type * from "./jump-model.ts";
export type * from "./machine-model.ts";
export type * from "./model.ts";
export type * from "./network-model.ts";
export type * from "./talos-model.ts";
export { bridgesOf, cardsOf, type MachineCard } from "./cards.ts";
export { hasKnownAddress } from "./later-address.ts";
export {
  hasGuests,
  isK3s,
  isLinux,
  isTalos,
  talosOf,
  type GuestCluster,
  type K3sCluster,
  type LinuxCluster,
  type TalosCluster,
} from "./distribution-kinds.ts";
export { hostnameOf, isLibvirtHost, isProxmoxHost, nodeNameOf } from "./host-kinds.ts";
export { parseFleet, type ParsedFleet } from "./parse-fleet.ts";
export { type Fault, type Problem, problemsError, type SourceFile } from "./problem.ts";
export { fleetJsonSchema, type JsonSchema } from "./json-schema.ts";
export { defaultK3s, kubernetesOfK3s, parseK3sVersion, resolveK3s, type K3sVersion } from "./k3s-versions.ts";
export { nodeMac, nodeNumbers } from "./addresses.ts";
export { type FormatOptions, formatProblems, formatValid, formatWarnings } from "./format-problems.ts";
export { formatExample } from "./format-example.ts";
export { findAddon } from "./addons/find-addon.ts";
export { addonVersions, type AddonVersion, chooseVersion } from "./addons/versions.ts";
export { knownAddons as knownAddonNames } from "./known-addons.ts";
export { suggest } from "./suggest.ts";
