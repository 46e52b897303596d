import { parse } from "yaml";
import { seedFilesOn } from "../../../images/index.ts";
import type { GuestHardware, SeedBus } from "../../guest.ts";

type Seed = NonNullable<GuestHardware["seed"]>;

interface Ethernet {
  match?: { macaddress?: string };
  dhcp4?: boolean;
  addresses?: string[];
  routes?: { to?: string; via?: string }[];
  gateway4?: string;
  nameservers?: { addresses?: string[]; search?: string[] };
}

interface CloudConfig {
  users?: (string | { name?: string; ssh_authorized_keys?: string[] })[];
  user?: string;
  ssh_authorized_keys?: string[];
  ssh_keys?: { ed25519_private?: string };
  packages?: string[];
  write_files?: { path: string; content?: string; permissions?: string }[];
}

/** What a guest reads on a disc; undefined when it is no seed. */
export function seedOn(disc: Buffer, bus: SeedBus): Seed | undefined {
  const files = seedFilesOn(disc);
  if (!files) return undefined;
  const { "meta-data": about = "", "user-data": userData = "", "network-config": network = "" } = files;
  const meta = (parse(about) ?? {}) as { "instance-id"?: string; "local-hostname"?: string };
  const said = (parse(network) ?? {}) as { ethernets?: Record<string, Ethernet> };
  const ethernets = Object.values(said.ethernets ?? {});
  const isCloudConfig = userData.startsWith("#cloud-config");
  return {
    bus,
    hostname: meta["local-hostname"] ?? "",
    ...(meta["instance-id"] !== undefined && { instanceId: meta["instance-id"] }),
    addresses: ethernets.flatMap(({ match, dhcp4, addresses = [], routes = [], gateway4 }) => {
      const mac = match?.macaddress;
      if (mac === undefined) return [];
      const gateway = gateway4 ?? routes.find(({ to }) => to === "0.0.0.0/0" || to === "default")?.via;
      return [{ mac, cidr: addresses[0], gateway, ...(dhcp4 && { dhcp: true }) }];
    }),
    nameservers: ethernets.flatMap(({ nameservers }) => nameservers?.addresses ?? []),
    searchDomains: ethernets.flatMap(({ nameservers }) => nameservers?.search ?? []),
    ...(isCloudConfig ? firstSettings((parse(userData) ?? {}) as CloudConfig) : { userData }),
  };
}

function firstSettings(config: CloudConfig): Partial<Seed> {
  const [own] = (config.users ?? []).filter((user) => typeof user === "object");
  return {
    user: own?.name ?? config.user,
    sshKeys: own?.ssh_authorized_keys ?? config.ssh_authorized_keys,
    hostKey: config.ssh_keys?.ed25519_private,
    packages: config.packages,
    files: config.write_files?.map(({ path, content = "", permissions }) => ({
      path,
      content,
      mode: permissions,
    })),
  };
}
