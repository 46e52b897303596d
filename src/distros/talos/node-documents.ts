import type { YamlValue } from "../../lib/index.ts";
import { configDocument, type MachineConfigDocument } from "./config-document.ts";
import { writes, type Contract } from "./contract.ts";
import type { MachineIntent, NetworkIntent, VolumeIntent } from "./machine-intent.ts";

/** Our own name for the NIC with the address. The kernel's name depends on the image. */
const linkAlias = "net0";

/** Name, address, resolvers and shared address, in the documents of 1.12 and later. */
export function networkDocuments(intent: MachineIntent, contract: Contract): MachineConfigDocument[] {
  if (!writes.networkDocuments(contract)) return [];
  return [hostnameDocument(intent), ...(intent.network ? linkDocuments(intent, intent.network) : [])];
}

/** `auto: "off"` must stand beside the name: alone, a name collides with the generated `auto: stable`. */
const hostnameDocument = (intent: MachineIntent): MachineConfigDocument =>
  configDocument(
    "HostnameConfig",
    intent.hostname === undefined ? { auto: "stable" } : { auto: "off", hostname: intent.hostname },
  );

function linkDocuments(intent: MachineIntent, network: NetworkIntent): MachineConfigDocument[] {
  return [
    configDocument("LinkAliasConfig", {
      name: linkAlias,
      selector: { match: `mac(link.permanent_addr) == "${network.mac.toLowerCase()}"` },
    }),
    configDocument("LinkConfig", {
      name: linkAlias,
      up: true,
      addresses: [{ address: network.address }],
      routes: [{ gateway: network.gateway }],
    }),
    ...(network.dns.length > 0
      ? [configDocument("ResolverConfig", { nameservers: network.dns.map((address) => ({ address })) })]
      : []),
    ...(sharedAddress(intent) === undefined
      ? []
      : [configDocument("Layer2VIPConfig", { name: sharedAddress(intent), link: linkAlias })]),
  ];
}

/** The same in `machine.network` of contracts before 1.12. */
export function networkSection(intent: MachineIntent, contract: Contract): YamlValue {
  const empty = writes.emptyNetwork(contract) ? {} : undefined;
  if (writes.networkDocuments(contract)) return empty;
  const { network, hostname } = intent;
  if (!network && hostname === undefined) return empty;
  const vip = sharedAddress(intent);
  return {
    hostname,
    interfaces: network && [
      {
        deviceSelector: { hardwareAddr: network.mac.toLowerCase() },
        addresses: [network.address],
        routes: [{ network: network.gateway.includes(":") ? "::/0" : "0.0.0.0/0", gateway: network.gateway }],
        dhcp: false,
        vip: vip === undefined ? undefined : { ip: vip },
      },
    ],
    nameservers: network?.dns.length ? network.dns : undefined,
  };
}

/** Only control planes may hold the shared address; on a worker Talos refuses the config. */
const sharedAddress = (intent: MachineIntent): string | undefined =>
  intent.role === "control-plane" ? intent.network?.vip : undefined;

export function registryDocuments(intent: MachineIntent, contract: Contract): MachineConfigDocument[] {
  if (!writes.networkDocuments(contract)) return [];
  return Object.entries(intent.registryMirrors ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, endpoints]) =>
      configDocument("RegistryMirrorConfig", { name, endpoints: endpoints.map((url) => ({ url })) }),
    );
}

export const volumeDocuments = (intent: MachineIntent, contract: Contract): MachineConfigDocument[] =>
  writes.userVolumes(contract) ? (intent.volumes ?? []).map(volumeDocument) : [];

/**
 * The volume takes a whole data disk of its size. Disk names may change between boots, so it is found by size,
 * and it asks for nearly all of it, so that two volumes never share a disk.
 */
const volumeDocument = (volume: VolumeIntent): MachineConfigDocument =>
  configDocument("UserVolumeConfig", {
    name: volume.name,
    provisioning: {
      diskSelector: {
        match: `!system_disk && disk.size >= ${volume.sizeGiB}u * GiB && disk.size < ${volume.sizeGiB + 1}u * GiB`,
      },
      grow: true,
      minSize: `${volume.sizeGiB * 1024 - 64}MiB`,
    },
  });
