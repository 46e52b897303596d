import { digList, digText, type KubeStore } from "../../../sim/kube/index.ts";

export const rancherNamespace = "cattle-system";

/** The container of Rancher's Deployment; undefined where it is not installed. */
export function rancherContainer(store: KubeStore): unknown {
  const place = { namespace: rancherNamespace, name: "rancher" };
  const deployment = store.find({ apiVersion: "apps/v1", kind: "Deployment", ...place });
  return digList(deployment, "spec", "template", "spec", "containers")[0];
}

/** `v2.15.2`, as its image says. */
export const rancherVersion = (store: KubeStore): string =>
  /:(v[^:@/]+)$/.exec(digText(rancherContainer(store), "image"))?.[1] ?? "";

/** From 2.13.8, 2.14.4 and 2.15 on, registration tokens stand in a Secret and nowhere else. */
export function keepsTokensSecret(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.replace(/^v/, "").split(/[.-]/).map(Number);
  if (major !== 2 || minor > 14) return true;
  return minor === 14 ? patch >= 4 : minor === 13 && patch >= 8;
}
