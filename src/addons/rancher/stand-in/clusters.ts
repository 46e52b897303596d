import type { ClusterFault } from "../../../sim/index.ts";
import {
  ApiError,
  type Cluster,
  digText,
  ensure,
  hasCondition,
  type KubeObject,
  type KubeStore,
  refOf,
} from "../../../sim/kube/index.ts";
import { sinceOf, writeStatus, type Seen } from "./conditions.ts";
import { connectedCluster, versionOfNodes } from "./agents.ts";
import { downstreamParts, namespaceOf } from "./objects.ts";
import { offerToken, randomWord, registrationToken } from "./tokens.ts";

export const provisioned = { apiVersion: "provisioning.cattle.io/v1", kind: "Cluster" };
export const managed = { apiVersion: "management.cattle.io/v3", kind: "Cluster" };

/** Held until Rancher is done with a cluster: those of the object people make, and of the one Rancher makes for it. */
export const provisionedFinalizer = "wrangler.cattle.io/provisioning-cluster-remove";
export const managedFinalizers = [
  "controller.cattle.io/cluster-agent-controller-cleanup",
  "controller.cattle.io/cluster-scoped-gc",
  "wrangler.cattle.io/mgmt-cluster-remove",
];

/** From the agent's first call until all controllers for its cluster run: in pulls of an image. */
const settlePulls = 10;

/** Gives a cluster that somebody asked for its id, and all that it registers with. Returns its id. */
export function admitCluster(store: KubeStore, wanted: KubeObject): string {
  hold(store, wanted, [provisionedFinalizer]);
  const { annotations = {}, name = "" } = wanted.metadata;
  const id =
    digText(wanted, "status", "clusterName") ||
    annotations["provisioning.cattle.io/management-cluster-name"] ||
    `c-m-${randomWord(store.random, 8)}`;
  const spec = (wanted["spec"] ?? {}) as Record<string, unknown>;
  ensure(
    store,
    [
      {
        ...managed,
        metadata: {
          name: id,
          annotations: { ...annotations, ...creatorOf(annotations) },
          finalizers: managedFinalizers,
        },
        spec: {
          ...spec,
          displayName: name,
          imported: true,
          internal: false,
          fleetWorkspaceName: "fleet-default",
        },
      },
      namespaceOf(id),
    ],
    "rancher",
  );
  writeStatus(store, store.get(refOf(wanted)), [], { clusterName: id });
  offerToken(store, id);
  return id;
}

/** The webhook notes who made it, unless it is told that this is nobody Rancher knows. */
const creatorOf = (annotations: Record<string, string>): Record<string, string> =>
  annotations["field.cattle.io/no-creator-rbac"] === "true"
    ? {}
    : { "field.cattle.io/creatorId": "system:admin" };

export function hold(store: KubeStore, object: KubeObject, finalizers: string[]): void {
  const known = object.metadata.finalizers ?? [];
  const missing = finalizers.filter((each) => !known.includes(each));
  if (missing.length > 0)
    store.patch(refOf(object), "merge", { metadata: { finalizers: [...known, ...missing] } });
}

/** Looks for a cluster's agent and says on both objects how it stands. True once it is ready. */
export function followCluster(manager: Cluster, wanted: KubeObject, id: string): boolean {
  const { store, clock, faults, times } = manager;
  const before = store.get({ ...managed, name: id });
  const downstream = connectedCluster(manager, registrationToken(store, id));
  const isEquipped = downstream !== undefined && equip(downstream.store);
  const hasSettled =
    hasCondition(before, "Connected") &&
    clock.now() - sinceOf(before, "Connected") >= settlePulls * times.imagePullMs;
  const stuck = faults.find("registration-stuck", { workload: `fleet-default/${wanted.metadata.name}` });
  const isReady = isEquipped && hasSettled && stuck === undefined;
  const seen = downstream
    ? connectedConditions(isReady, hasSettled ? stuck : undefined)
    : silentConditions(hasCondition(before, "Provisioned"));
  const version = downstream && versionOfNodes(downstream.store);
  writeStatus(store, before, seen, {
    ...(version !== undefined && {
      driver: version.includes("+k3s") ? "k3s" : "imported",
      version: { gitVersion: version },
    }),
  });
  const shown = seen.filter(({ type }) => ["Ready", "Connected", "Provisioned", "Updated"].includes(type));
  writeStatus(store, store.get(refOf(wanted)), shown, { ready: isReady, agentDeployed: isEquipped });
  return isReady;
}

const unconnected = { reason: "Disconnected", message: "Cluster agent is not connected" };

const silentConditions = (wasThere: boolean): Seen[] => [
  { type: "Ready", is: false, ...unconnected },
  { type: "Connected", is: false },
  ...(wasThere
    ? []
    : [
        { type: "Pending", is: true },
        { type: "Waiting", is: "Unknown" as const, message: waiting.message },
      ]),
];

const waiting = { reason: "Waiting", message: "Waiting for API to be available" };

const unhealthy = {
  reason: "Error",
  message:
    "Cluster health check failed: Failed to communicate with API server during namespace check: context deadline exceeded",
};

const connectedConditions = (isReady: boolean, stuck: ClusterFault | undefined): Seen[] => {
  const why = stuck
    ? { ...unhealthy, ...(stuck.message !== undefined && { message: stuck.message }) }
    : waiting;
  return [
    { type: "Ready", is: isReady, ...(!isReady && why) },
    ...connectedOnes.map((type) => ({ type, is: true })),
  ];
};

const connectedOnes = [
  "Connected",
  "Pending",
  "Waiting",
  "Provisioned",
  "Updated",
  "AgentDeployed",
  "SystemProjectCreated",
  "DefaultProjectCreated",
];

/** Brings a connected cluster what it needs. False while its API refuses, as it does while its webhook starts. */
function equip(store: KubeStore): boolean {
  try {
    ensure(store, downstreamParts, "rancher");
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
