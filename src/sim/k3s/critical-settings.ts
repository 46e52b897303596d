import type { Settings } from "./settings.ts";

/** What must be the same on all servers, by the flag that sets it. */
export type CriticalSettings = Record<string, string>;

const texts: Record<string, string> = {
  "cluster-cidr": "10.42.0.0/16",
  "service-cidr": "10.43.0.0/16",
  "cluster-dns": "",
  "cluster-domain": "cluster.local",
  "egress-selector-mode": "agent",
  "flannel-backend": "vxlan",
  "secrets-encryption-provider": "aescbc",
};

const switches = [
  "disable-cloud-controller",
  "disable-helm-controller",
  "disable-network-policy",
  "embedded-registry",
  "flannel-ipv6-masq",
  "flannel-external-ip",
  "secrets-encryption",
  "supervisor-metrics",
];

export const criticalSettings = (settings: Settings): CriticalSettings => ({
  ...Object.fromEntries(Object.entries(texts).map(([name, usual]) => [name, settings.text(name) ?? usual])),
  ...Object.fromEntries(switches.map((name) => [name, String(settings.isOn(name))])),
  "disable-service-lb": String(settings.list("disable").includes("servicelb")),
});

/** Where two servers disagree: by the flag, or by the place where K3s keeps what it made of the flag. */
export const mismatches = (own: CriticalSettings, theirs: CriticalSettings): string[] =>
  Object.keys(own)
    .filter((name) => own[name] !== theirs[name])
    .flatMap((name) => placesOf(name, own[name] ?? "", theirs[name] ?? ""));

const networks: Record<string, string> = {
  "cluster-cidr": "ClusterIPRange",
  "service-cidr": "ServiceIPRange",
};

function placesOf(name: string, own: string, theirs: string): string[] {
  const kept = networks[name];
  if (kept === undefined) return [name];
  const other = theirs.split(/[./]/);
  const octet = own.split(/[./]/).findIndex((part, index) => part !== other[index]);
  // Addresses of version 4 stand at the end of sixteen bytes.
  const place = octet < 4 ? `IP.slice[${12 + octet}]` : "Mask.slice[2]";
  return [`${kept}s.slice[0].${place}`, `${kept}.${place}`];
}
