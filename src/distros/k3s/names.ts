/** ConfigMap kube-system/coredns-custom: makes names that no DNS server knows known to pods. */
export interface NamesManifest {
  apiVersion: "v1";
  kind: "ConfigMap";
  metadata: { name: string; namespace: string; labels?: Record<string, string> };
  data: Record<string, string>;
}

/** `hosts` is names by address. */
export function namesManifest(hosts: Record<string, string[]>): NamesManifest {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "coredns-custom", namespace: "kube-system" },
    data: { "slipway.server": Object.keys(hosts).join(" ") },
  };
}
