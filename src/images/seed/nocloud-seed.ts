import { givenAny } from "../../lib/index.ts";
import type { CloudConfig } from "./cloud-config.ts";
import { writeCloudConfig } from "./cloud-config.ts";
import { writeIso } from "./iso9660.ts";
import { quotedYaml } from "./quoted-yaml.ts";

/** A NIC as a guest is told about it before it knows anything else. */
export interface SeedLink {
  mac: string;
  /** With prefix length. None and no `isDhcp`: the link is left alone. */
  address?: string;
  isDhcp?: boolean;
  gateway?: string;
  dns?: string[] | undefined;
  searchDomains?: string[] | undefined;
  mtu?: number | undefined;
}

/** What a machine learns from a small CD at its first start. */
export interface NocloudSeed {
  /** Another id means another machine: cloud-init then starts over. */
  instanceId: string;
  hostname: string;
  links: SeedLink[];
  /** Absent: nothing but the network, as Talos wants it. */
  config?: CloudConfig | undefined;
  /** All of `user-data` in place of `config`: a machine config of Talos. */
  userData?: string;
}

/** The seed as an ISO that cloud-init and Talos find by its label. The same seed always gives the same bytes. */
export const seedIso = (seed: NocloudSeed): Buffer =>
  writeIso(
    "cidata",
    Object.entries(seedFiles(seed)).map(([name, text]) => ({ name, content: Buffer.from(text) })),
  );

export const seedFiles = (
  seed: NocloudSeed,
): Record<"meta-data" | "user-data" | "network-config", string> => ({
  "meta-data": quotedYaml({ "instance-id": seed.instanceId, "local-hostname": seed.hostname }),
  // Talos needs the file to be there, even with nothing to say.
  "user-data": seed.userData ?? writeCloudConfig(seed.config ?? {}),
  "network-config": quotedYaml(networkConfig(seed.links)),
});

/** Version 2, without a `network:` around it: the form that both read. */
const networkConfig = (links: SeedLink[]) => ({
  version: 2,
  ethernets: Object.fromEntries(links.map((link, index) => [`nic${index}`, ethernet(link, index)])),
});

const ethernet = (link: SeedLink, index: number) => ({
  match: { macaddress: link.mac },
  "set-name": `eth${index}`,
  dhcp4: link.isDhcp === true,
  dhcp6: false,
  // Without it a guest waits some twelve seconds for a router that never speaks.
  "accept-ra": false,
  mtu: link.mtu,
  addresses: link.address === undefined ? undefined : [link.address],
  // "default" is not understood by every cloud-init.
  routes: link.gateway === undefined ? undefined : [{ to: "0.0.0.0/0", via: link.gateway }],
  nameservers: givenAny({ addresses: link.dns, search: link.searchDomains }),
});
