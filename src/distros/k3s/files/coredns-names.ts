/** The ConfigMap that CoreDNS of K3s reads beside its own settings. */
export interface NamesManifest {
  apiVersion: "v1";
  kind: "ConfigMap";
  metadata: { name: string; namespace: string };
  data: Record<string, string>;
}

export const namesRef = {
  apiVersion: "v1",
  kind: "ConfigMap",
  namespace: "kube-system",
  name: "coredns-custom",
} as const;

/** Ours among what others may keep there. */
export const namesKey = "slipway.server";

/** Makes names that no DNS server knows, given by address, known to pods. */
export const namesManifest = (hosts: Record<string, string[]>): NamesManifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: namesRef.name, namespace: namesRef.namespace },
  data: { [namesKey]: serverBlock(hosts) },
});

/**
 * Blocks of their own: the main one has its `hosts` already, and CoreDNS takes only one in each. Names below ours are
 * still looked for where all others are.
 */
function serverBlock(hosts: Record<string, string[]>): string {
  const zones = [...new Set(Object.values(hosts).flat())].toSorted();
  const lines = Object.entries(hosts).map(([address, names]) => `        ${address} ${names.join(" ")}`);
  return [
    `${zones.map((zone) => `${zone}:53`).join(" ")} {`,
    "    errors",
    "    hosts {",
    ...lines,
    "        fallthrough",
    "    }",
    "    forward . /etc/resolv.conf",
    "    cache 30",
    "}",
    "",
  ].join("\n");
}
