import type { FieldChange } from "./compare-configs.ts";

/**
 * Fields that a running node takes over without restarting anything that pods need: kernel settings, names, clocks,
 * what Kubernetes says of a node, and what counts only for the next installation. None of the others promises it.
 */
const hotFields = [
  "machine.sysctls",
  "machine.sysfs",
  "machine.time",
  "machine.nodeLabels",
  "machine.nodeAnnotations",
  "machine.install",
  "machine.logging",
  "machine.registries",
  "machine.certSANs",
  "machine.network.nameservers",
  "machine.network.searchDomains",
  "machine.network.extraHostEntries",
  "KubeNodeConfig.labels",
  "KubeNodeConfig.annotations",
  "SysctlConfig",
  "TimeSyncConfig",
  "ResolverConfig",
  "StaticHostConfig",
  "EventSinkConfig",
  "KmsgLogConfig",
  "RegistryMirrorConfig",
  "RegistryAuthConfig",
  "RegistryTLSConfig",
  "FilesystemTrimConfig",
];

/** Whether no pod can be interrupted by these changes. */
export const areHot = (changes: readonly FieldChange[]): boolean =>
  changes.every((change) => hotFields.some((hot) => isWithin(change.field, hot)) && !isOfNetwork(change));

/** Kernel settings of the network can cut every pod of a node off. */
const isOfNetwork = ({ field, from, to }: FieldChange): boolean =>
  /sysctl/i.test(field) && /\bnet\./.test(`${field} ${from} ${to}`);

/** Documents are named by their kind, and where there may be several also by their own name. */
const isWithin = (field: string, hot: string): boolean =>
  field === hot || field.startsWith(`${hot}.`) || field.startsWith(`${hot} `);
