import { expect, test } from "vitest";
import type { KubeClient, KubeRef } from "../../../clients/kube/index.ts";
import type { SlipwayCluster } from "../../objects/index.ts";
import { withdrawAccess } from "./published.ts";

const namespace = "slipway-system";

test("no kubeconfig of a cluster that goes stays behind, and no Secret of anybody else goes with it", async () => {
  const held = new Map([
    [`${namespace}/lab-kubeconfig`, { "slipway.dev/cluster": "lab" }],
    [`${namespace}/lab-cluster`, { app: "somebody's" }],
    ["argocd/lab-cluster", { "slipway.dev/cluster": "lab" }],
  ]);
  const placeOf = (ref: KubeRef) => `${ref.namespace}/${ref.name}`;
  const client = {
    get: async (ref: KubeRef) => {
      const labels = held.get(placeOf(ref));
      return labels && { metadata: { labels } };
    },
    delete: async (ref: KubeRef) => void held.delete(placeOf(ref)),
  } as unknown as KubeClient;
  // It was published until a moment ago: the object was changed right before it was deleted.
  const object = {
    metadata: { name: "lab" },
    spec: { hosts: "rack", cluster: {}, publishKubeconfig: false, argocd: { namespace: "argocd" } },
  } as unknown as SlipwayCluster;
  await withdrawAccess(client, object, namespace);
  expect([...held.keys()]).toEqual([`${namespace}/lab-cluster`]);
});
