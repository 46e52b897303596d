import type { ClusterDraft, FleetDraft, PoolDraft } from "../../complete/draft.ts";
import { isLibvirtHost } from "../../model/host-kinds.ts";
import type { WrittenHardware } from "../../schema/machine.ts";
import type { WrittenNode, WrittenPool } from "../../schema/pool.ts";
import type { Problem } from "../../source/problem.ts";
import type { Path } from "../../source/positions.ts";
import { hostsOf, kindOfHosts } from "./hosts-of.ts";

/** What only Proxmox can do is refused on libvirt, instead of being forgotten silently. */
export const checkLibvirt = (fleet: FleetDraft): Problem[] => [
  ...poolPaths(fleet),
  ...fleet.clusters.flatMap((draft) => {
    if (kindOfHosts(fleet, draft) !== "libvirt") return mixedHosts(fleet, draft);
    return [
      ...ofCluster(draft),
      ...ofHardware(draft, draft.written.hardware, draft.path),
      ...draft.pools.flatMap((pool) => ofPool(draft, pool)),
    ];
  }),
];

function mixedHosts(fleet: FleetDraft, draft: ClusterDraft): Problem[] {
  const hosts = hostsOf(fleet, draft);
  const named = (kind: string) => hosts.filter((host) => host.provider === kind).map(({ name }) => name);
  const [proxmox, libvirt] = [named("proxmox"), named("libvirt")];
  if (proxmox.length === 0 || libvirt.length === 0) return [];
  return [
    {
      code: "SPEC_HOSTS_MIXED",
      what: `A cluster runs on hosts of one kind: ${proxmox.join(", ")} with Proxmox, ${libvirt.join(", ")} with libvirt`,
      next: "Name hosts of one kind under on, or make two clusters",
      position: draft.document.locate([...draft.path, "on"]),
    },
  ];
}

/** libvirt itself takes a path without its beginning and fails much later. */
const poolPaths = ({ hosts }: FleetDraft): Problem[] =>
  hosts.flatMap(({ host, document, path }) => {
    if (!isLibvirtHost(host)) return [];
    const folder = host.libvirt.pool.path;
    if (folder === undefined || folder.startsWith("/")) return [];
    return [
      {
        code: "SPEC_BAD_PATH",
        what: `"${folder}" is not an absolute path: it is a folder of the host, not of this computer`,
        next: "Write it from the root, like /var/lib/libvirt/slipway",
        position: document.locate([...path, "libvirt", "pool", "path"]),
      },
    ];
  });

const refused = (what: string, next: string, position: Problem["position"]): Problem => ({
  code: "SPEC_NOT_ON_LIBVIRT",
  what,
  next,
  position,
});

function ofCluster({ cluster, written, document, path }: ClusterDraft): Problem[] {
  const at = (...way: Path) => document.locate([...path, ...way]);
  const problems: [boolean, () => Problem][] = [
    [
      cluster.bootSource.kind !== "image",
      () =>
        refused(
          `On libvirt machines start from a copy of the image, not from ${bootSourceTexts[cluster.bootSource.kind]}`,
          "Remove from: copies share the image's blocks and are made in a moment",
          at("from"),
        ),
    ],
    [
      written.ha,
      () =>
        refused(
          "libvirt restarts no machine on another host",
          "Remove ha, or use hosts with Proxmox",
          at("ha"),
        ),
    ],
    [
      written.cloudAccount,
      () => refused("libvirt has no accounts for clusters", "Remove cloudAccount", at("cloudAccount")),
    ],
    [
      written.snapshots !== undefined,
      () =>
        refused(
          "Slipway takes no snapshots of machines on libvirt",
          "Remove snapshots",
          document.locateKey([...path, "snapshots"]),
        ),
    ],
    [
      written.machineBackups !== undefined,
      () =>
        refused(
          "Slipway backs up no machines on libvirt",
          "Remove machineBackups; slipway backup keeps what the cluster is made of",
          document.locateKey([...path, "machineBackups"]),
        ),
    ],
    [
      written.tags.length > 0,
      () => refused("Machines on libvirt have no tags", "Remove tags", document.locateKey([...path, "tags"])),
    ],
    [
      written.network.firewall,
      () =>
        refused(
          "libvirt has no firewall of Proxmox's kind in front of a NIC",
          "Remove firewall, and filter on the host or in the cluster",
          at("network", "firewall"),
        ),
    ],
  ];
  return [
    ...problems.flatMap(([isSaid, tell]) => (isSaid ? [tell()] : [])),
    ...ofNic(written.network, at, ["network"]),
  ];
}

const bootSourceTexts = {
  image: "the image",
  iso: "an ISO",
  template: "a template",
  existing: "a template",
} as const;

interface WrittenNic {
  vlan?: number | undefined;
  trunks?: number[] | undefined;
  firewall?: boolean | undefined;
}

/** libvirt gives tags only to cards on Open vSwitch, and refuses the machine elsewhere when it starts. */
function ofNic({ vlan, trunks = [] }: WrittenNic, at: (...way: Path) => Problem["position"], way: Path) {
  const name = vlan === undefined ? "trunks" : "vlan";
  if (vlan === undefined && trunks.length === 0) return [];
  const first = vlan ?? trunks[0];
  return [
    refused(
      "libvirt tags nothing on a plain bridge",
      `Make a bridge for VLAN ${first} on the host and name it, or let the nodes tag by themselves: vlans: [{ id: ${first} }]`,
      at(...way, name),
    ),
  ];
}

function ofPool(draft: ClusterDraft, pool: PoolDraft): Problem[] {
  return [
    ...ofMachine(draft, pool.written, pool.path),
    ...Object.entries(pool.written.nodes).flatMap(([name, node]) =>
      ofMachine(draft, node, [...pool.path, "nodes", name]),
    ),
  ];
}

function ofMachine(draft: ClusterDraft, written: WrittenPool | WrittenNode, path: Path): Problem[] {
  const at = (...way: Path) => draft.document.locate([...path, ...way]);
  const storage = (...way: Path) =>
    refused(
      "On libvirt all disks of a host lie in its pool",
      "Remove storage, and name the pool of the host: libvirt: { pool: NAME }",
      at(...way, "storage"),
    );
  return [
    ...(written.storage === undefined ? [] : [storage()]),
    ...(written.dataDisks ?? []).flatMap((disk, i) =>
      disk.storage === undefined ? [] : [storage("dataDisks", i)],
    ),
    ...(written.vmid === undefined
      ? []
      : [refused("Machines on libvirt have names, not numbers", "Remove vmid", at("vmid"))]),
    ...(written.nics ?? []).flatMap((nic, i) => [
      ...ofNic(nic, at, ["nics", i]),
      ...(nic.firewall
        ? [
            refused(
              "libvirt has no firewall of Proxmox's kind in front of a NIC",
              "Remove firewall",
              at("nics", i, "firewall"),
            ),
          ]
        : []),
    ]),
    ...ofHardware(draft, written.hardware, path),
  ];
}

function ofHardware(draft: ClusterDraft, hardware: WrittenHardware | undefined, path: Path): Problem[] {
  const at = (...way: Path) => draft.document.locate([...path, "hardware", ...way]);
  const { start, numa } = hardware ?? {};
  const name = start?.order === undefined ? "delay" : "order";
  return [
    ...(start?.order === undefined && start?.delay === undefined
      ? []
      : [
          refused(
            "libvirt starts its machines in no particular order",
            `Remove ${name}; onBoot works`,
            at("start", name),
          ),
        ]),
    ...(numa === true
      ? [refused("Machines on libvirt do not see the host's memory regions", "Remove numa", at("numa"))]
      : []),
  ];
}
