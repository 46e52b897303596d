import type { NodeResource } from "./node-resource.ts";
import type { TalosNode } from "../node.ts";
import { specProto } from "./spec-proto.ts";

/** Links, addresses, disks and the machine itself: known before any config is. */
export function hardwareResources(node: TalosNode): NodeResource[] {
  return [
    ...linkResources(node),
    ...diskResources(node),
    {
      type: "SystemInformations.hardware.talos.dev",
      id: "systeminformation",
      spec: { manufacturer: "QEMU", productName: "Standard PC (Q35 + ICH9, 2009)", uuid: node.hardware.uuid },
    },
    {
      type: "Processors.hardware.talos.dev",
      id: "CPU-0",
      spec: { socket: "CPU 0", coreCount: node.hardware.cores, threadCount: node.hardware.cores },
    },
    {
      type: "HostnameStatuses.net.talos.dev",
      id: "hostname",
      spec: { hostname: node.hostname(), domainname: "" },
    },
    {
      type: "NetworkStatuses.net.talos.dev",
      id: "status",
      spec: { addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true },
    },
  ];
}

/** The shared address stands on the first card of whoever holds it. */
function linksWithVip(node: TalosNode): ReturnType<TalosNode["links"]> {
  const vip = node.cluster?.vipHolder === node ? node.config?.vip : undefined;
  return node
    .links()
    .map((link, index) =>
      index === 0 && vip !== undefined
        ? { ...link, cidrs: [...link.cidrs, `${vip}/${vip.includes(":") ? 128 : 32}`] }
        : link,
    );
}

function linkResources(node: TalosNode): NodeResource[] {
  const links = linksWithVip(node);
  const cidrs = links.flatMap((link) => link.cidrs);
  const addresses = [
    ...links.map((link) => ({ ...link, cidrs: [...link.cidrs, `${linkLocalOf(link.mac)}/64`] })),
    { name: "lo", cidrs: ["127.0.0.1/8", ...hostDnsOf(node), "::1/128"] },
  ];
  return [
    ...links.map((link, index) => ({
      type: "LinkStatuses.net.talos.dev",
      id: link.name,
      spec: {
        index: index + 2,
        type: "ether",
        hardwareAddr: link.mac,
        permanentAddr: link.kind === "" ? link.mac : undefined,
        mtu: 1500,
        operationalState: "up",
        kind: link.kind,
        driver: link.kind === "" ? "virtio_net" : link.kind,
        linkState: true,
      },
    })),
    loopback,
    ...addresses.flatMap((link) =>
      link.cidrs.map((cidr) => ({
        type: "AddressStatuses.net.talos.dev",
        id: `${link.name}/${cidr}`,
        spec: { address: cidr, linkName: link.name, family: cidr.includes(":") ? "inet6" : "inet4" },
      })),
    ),
    ...(node.cluster?.vipHolder === node && node.config?.vip !== undefined
      ? [
          {
            type: "AddressStatuses.net.talos.dev",
            id: `${links[0]?.name ?? ""}/${node.config.vip}/32`,
            spec: { address: `${node.config.vip}/32`, linkName: links[0]?.name ?? "", family: "inet4" },
          },
        ]
      : []),
    ...["default", "current", "routed", "accumulative"].map((id) => ({
      type: "NodeAddresses.net.talos.dev",
      id,
      spec: { addresses: id === "default" ? cidrs.slice(0, 1) : cidrs },
    })),
  ];
}

const loopback: NodeResource = {
  type: "LinkStatuses.net.talos.dev",
  id: "lo",
  spec: {
    index: 1,
    type: "loopback",
    hardwareAddr: "00:00:00:00:00:00",
    permanentAddr: "",
    mtu: 65_536,
    operationalState: "unknown",
    kind: "",
    linkState: true,
  },
};

/** Where pods find the node's own DNS, once it has a config. */
const hostDnsOf = (node: TalosNode): string[] => (node.config === undefined ? [] : ["169.254.116.108/32"]);

/** The address every IPv6 link gives itself: its MAC with `fffe` in the middle and one bit turned. */
function linkLocalOf(mac: string): string {
  const bytes = mac.split(":").map((byte) => Number.parseInt(byte, 16));
  const [first = 0, ...rest] = bytes;
  const id = [first ^ 2, ...rest.slice(0, 2), 0xff, 0xfe, ...rest.slice(2)];
  const groups = [0, 2, 4, 6].map((at) => ((id[at] ?? 0) * 256 + (id[at + 1] ?? 0)).toString(16));
  // In its short form, as the node writes it.
  return new URL(`http://[fe80:0:0:0:${groups.join(":")}]`).hostname.slice(1, -1);
}

function diskResources(node: TalosNode): NodeResource[] {
  const disks = node.hardware.disks.map((disk, index) => ({ ...disk, name: diskName(disk.slot, index) }));
  const system = disks.find((disk) => disk.slot === node.systemSlot);
  return [
    ...disks.map((disk) => ({
      type: "Disks.block.talos.dev",
      id: disk.name,
      spec: {
        dev_path: `/dev/${disk.name}`,
        size: disk.sizeBytes,
        pretty_size: prettySize(disk.sizeBytes),
        readonly: false,
        cdrom: false,
        model: "QEMU HARDDISK",
        serial: disk.serial ?? disk.slot,
        transport: disk.name.startsWith("vd") ? "virtio" : "scsi",
        bus_path: `/pci0000:00/${disk.slot}`,
        rotational: false,
        symlinks: [],
      },
    })),
    ...disks
      .filter(({ slot }) =>
        node.hardware.boot.some((device) => device.kind === "cdrom" && device.slot === slot),
      )
      .map((disk) => ({
        type: "DiscoveredVolumes.block.talos.dev",
        id: disk.name,
        spec: {
          type: "disk",
          dev_path: `/dev/${disk.name}`,
          size: disk.sizeBytes,
          name: "iso9660",
          label: `TALOS_V${node.disk.version.toUpperCase().replaceAll(/[.-]/g, "_")}`,
        },
      })),
    ...(system === undefined ? [] : systemDiskResources(system)),
  ];
}

function systemDiskResources(disk: { name: string; sizeBytes: number }): NodeResource[] {
  const parent = `/dev/${disk.name}`;
  const overheadBytes = 2 * 1024 ** 3;
  const ephemeral = {
    location: `${parent}4`,
    parentLocation: parent,
    size: Math.max(0, disk.sizeBytes - overheadBytes),
  };
  const pretty = prettySize(ephemeral.size);
  return [
    {
      type: "SystemDisks.block.talos.dev",
      id: "system-disk",
      spec: { diskID: disk.name, devPath: parent },
    },
    {
      type: "VolumeStatuses.block.talos.dev",
      id: "EPHEMERAL",
      spec: { phase: "ready", type: "partition", ...ephemeral, prettySize: pretty },
      proto: specProto.volumeStatus({
        // The eighth phase is "ready".
        phase: 8,
        location: ephemeral.location,
        parentLocation: parent,
        size: BigInt(ephemeral.size),
        prettySize: pretty,
      }),
    },
  ];
}

/** As the kernel names it: by the bus it is on and the order it was found in. */
export const diskName = (slot: string, index: number): string =>
  slot.startsWith("nvme")
    ? `${slot}n1`
    : `${slot.startsWith("virtio") || slot.startsWith("vd") ? "vd" : "sd"}${String.fromCodePoint(97 + index)}`;

const prettySize = (bytes: number): string => `${Math.round(bytes / 1e8) / 10} GB`;
