/** The cluster file: schema, defaults, addresses, cross-checks, positions. Pure: text in, model or problems out. */
export type { FleetFile, FleetParts } from "./gen/fleet-file.ts";
export type * from "./model/backups.ts";
export type * from "./model/existing.ts";
export type * from "./model/file-part.ts";
export type * from "./model/k3s.ts";
export type * from "./model/linux.ts";
export type * from "./model/distribution-kind.ts";
export type * from "./model/other-distribution.ts";
export type * from "./addons/model.ts";
export type * from "./model/jump.ts";
export type * from "./model/machine.ts";
export type * from "./model/cluster.ts";
export type * from "./model/image.ts";
export type * from "./model/secret.ts";
export type * from "./model/network.ts";
export type * from "./model/talos.ts";
export { bridgesOf, nicsOf, plugText, type MachineNic } from "./model/nics.ts";
export { hasKnownAddress, hasKnownMac } from "./model/dhcp-address.ts";
export {
  distributionName,
  guestsOf,
  hasGuests,
  isK3s,
  isLinux,
  isTalos,
  talosOf,
  type GuestCluster,
  type K3sCluster,
  type LinuxCluster,
  type TalosCluster,
} from "./model/distribution-kinds.ts";
export {
  rolloutOf,
  weekdays,
  type CommandGate,
  type ObjectGate,
  type Rollout,
  type RolloutWindow,
} from "./model/rollout.ts";
export { systemFacts, type SystemFacts } from "./model/system-facts.ts";
export {
  hostnameOf,
  hostSecrets,
  isExistingHost,
  isLibvirtHost,
  isProxmoxHost,
  machineNameOf,
  makesMachines,
  nodeNameOf,
  portOf,
} from "./model/host-kinds.ts";
export { parseFleet, writtenData, type ParsedFleet, type ParseOptions } from "./parse-fleet.ts";
export { problemsError } from "./source/errors.ts";
export type { Fault, Problem, SourceFile } from "./source/problem.ts";
export { fileVersion } from "./schema/file.ts";
export { fleetJsonSchema, type JsonSchema } from "./schema/json-schema.ts";
export {
  defaultK3s,
  k3sReleases,
  kubernetesOfK3s,
  parseK3sVersion,
  type K3sVersion,
} from "./values/k3s-versions.ts";
export { isInside, parseCidr, parseIpv4 } from "./values/ipv4.ts";
export { defaultTalos, parseVersion, talosMinorOf, talosMinors, type TalosMinor } from "./values/versions.ts";
export { formatProblems, formatWarnings } from "./source/format-problems.ts";
export type { FormatOptions } from "./source/format-style.ts";
export { formatValid } from "./source/format-valid.ts";
export { formatExample } from "./source/format-example.ts";
export { addonWith } from "./addons/find-addon.ts";
export * from "./addons/kit.ts";
export { suggest } from "./source/suggest.ts";
