/** A kind of resource: where it lives, how talosctl may call it and which columns it shows. */
export interface ResourceKindRow {
  type: string;
  namespace: string;
  aliases: string[];
  columns: [name: string, jsonPath: string][];
  isSensitive: boolean;
  /** The Talos minor that brought it. */
  since: number;
}

const row = (
  type: string,
  namespace: string,
  columns: [string, string][] = [],
  more: { aliases?: string[]; isSensitive?: boolean; since?: number } = {},
): ResourceKindRow => ({
  type,
  namespace,
  columns,
  aliases: more.aliases ?? [],
  isSensitive: more.isSensitive ?? false,
  since: more.since ?? 8,
});

/** The kinds a simulated node has resources of. Asking for any other is refused. */
export const resourceKindRows = [
  row("MachineStatuses.runtime.talos.dev", "runtime", [
    ["Stage", "{.stage}"],
    ["Ready", "{.status.ready}"],
  ]),
  row("MachineConfigs.config.talos.dev", "config", [], { isSensitive: true }),
  row("MachineTypes.config.talos.dev", "config", [["Type", "{@}"]]),
  row("Versions.runtime.talos.dev", "runtime", [["Version", "{.version}"]], { since: 10 }),
  row("BootIDs.runtime.talos.dev", "runtime", [["Boot ID", "{.bootID}"]], { since: 14 }),
  row("Members.cluster.talos.dev", "cluster", [
    ["Hostname", "{.hostname}"],
    ["Machine Type", "{.machineType}"],
    ["OS", "{.operatingSystem}"],
    ["Addresses", "{.addresses}"],
  ]),
  row(
    "LinkStatuses.net.talos.dev",
    "network",
    [
      ["Type", "{.type}"],
      ["Kind", "{.kind}"],
      ["Hw Addr", "{.hardwareAddr}"],
      ["Oper State", "{.operationalState}"],
    ],
    { aliases: ["link", "links"] },
  ),
  row(
    "AddressStatuses.net.talos.dev",
    "network",
    [
      ["Address", "{.address}"],
      ["Link", "{.linkName}"],
    ],
    { aliases: ["address", "addresses"] },
  ),
  row("NodeAddresses.net.talos.dev", "network", [["Addresses", "{.addresses}"]]),
  row(
    "HostnameStatuses.net.talos.dev",
    "network",
    [
      ["Hostname", "{.hostname}"],
      ["Domainname", "{.domainname}"],
    ],
    { aliases: ["hostname"] },
  ),
  row(
    "NetworkStatuses.net.talos.dev",
    "network",
    [
      ["Address", "{.addressReady}"],
      ["Connectivity", "{.connectivityReady}"],
    ],
    { aliases: ["netstatus"] },
  ),
  row("Disks.block.talos.dev", "runtime", [
    ["Size", "{.pretty_size}"],
    ["Read Only", "{.readonly}"],
    ["Transport", "{.transport}"],
    ["Model", "{.model}"],
  ]),
  row("DiscoveredVolumes.block.talos.dev", "runtime", [
    ["Type", "{.type}"],
    ["Size", "{.pretty_size}"],
    ["Discovered", "{.name}"],
    ["Label", "{.label}"],
  ]),
  row("SystemDisks.block.talos.dev", "runtime", [["Disk", "{.diskID}"]]),
  row("VolumeStatuses.block.talos.dev", "runtime", [
    ["Type", "{.type}"],
    ["Phase", "{.phase}"],
    ["Location", "{.location}"],
    ["Size", "{.prettySize}"],
  ]),
  row(
    "ExtensionStatuses.runtime.talos.dev",
    "runtime",
    [
      ["Name", "{.metadata.name}"],
      ["Version", "{.metadata.version}"],
    ],
    { aliases: ["extensions"] },
  ),
  row(
    "Services.v1alpha1.talos.dev",
    "runtime",
    [
      ["Running", "{.running}"],
      ["Healthy", "{.healthy}"],
      ["Health Unknown", "{.unknown}"],
    ],
    { aliases: ["svc"] },
  ),
  row("SystemInformations.hardware.talos.dev", "hardware", [["UUID", "{.uuid}"]], {
    aliases: ["systeminformation"],
  }),
  row("Processors.hardware.talos.dev", "hardware", [["Cores", "{.coreCount}"]]),
  row("TimeStatuses.v1alpha1.talos.dev", "runtime", [["Synced", "{.synced}"]]),
  row("EtcdMembers.etcd.talos.dev", "etcd", [["Member ID", "{.memberID}"]]),
  row("Nodenames.kubernetes.talos.dev", "k8s", [["Nodename", "{.nodename}"]]),
  row("NodeStatuses.kubernetes.talos.dev", "k8s", [
    ["Ready", "{.nodeReady}"],
    ["Unschedulable", "{.unschedulable}"],
  ]),
  row("StaticPods.kubernetes.talos.dev", "k8s"),
  row(
    "StaticPodStatuses.kubernetes.talos.dev",
    "k8s",
    [["Ready", '{.conditions[?(@.type=="Ready")].status}']],
    {
      aliases: ["podstatus"],
    },
  ),
  row("BootstrapManifestsConfigs.kubernetes.talos.dev", "controlplane"),
  row("Manifests.kubernetes.talos.dev", "controlplane"),
  row("Diagnostics.runtime.talos.dev", "runtime", [["Message", "{.message}"]]),
  row("ResourceDefinitions.meta.cosi.dev", "meta", [["Aliases", "{.aliases[:]}"]], {
    aliases: ["api-resources"],
  }),
];

/** The other names talosctl accepts for a kind: without group, in the singular, and its initials. */
export function allAliases(kind: ResourceKindRow): { display: string; aliases: string[]; all: string[] } {
  const [plural = "", ...suffix] = kind.type.split(".");
  const display = singular(plural);
  const initials = plural.replaceAll(/[^A-Z]/g, "").toLowerCase();
  const short = initials.length < 2 ? [] : [initials, ...(initials.endsWith("s") ? [] : [`${initials}s`])];
  const aliases = [...kind.aliases, display.toLowerCase(), ...short];
  const qualified = suffix
    .slice(0, -1)
    .map((_, index) => [plural.toLowerCase(), ...suffix.slice(0, index + 1)].join("."));
  return { display, aliases, all: [plural.toLowerCase(), ...qualified, ...aliases] };
}

function singular(plural: string): string {
  if (plural.endsWith("uses") || plural.endsWith("sses")) return plural.slice(0, -2);
  return plural.replace(/s$/, "");
}
