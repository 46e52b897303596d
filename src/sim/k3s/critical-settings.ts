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
  "disable-servicelb": String(settings.list("disable").includes("servicelb")),
});

/** The flags that two servers disagree about. */
export const mismatches = (own: CriticalSettings, theirs: CriticalSettings): string[] =>
  Object.keys(own).filter((name) => own[name] !== theirs[name]);
