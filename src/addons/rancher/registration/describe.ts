import { unlessEmpty } from "../../../lib/index.ts";
import type { Graph, GraphNode, StepId } from "../../../plan/index.ts";
import { addonWith, type Cluster } from "../../../spec/index.ts";
import type { RegistrationWant } from "./registration.ts";

export const registrationStep = (cluster: string): StepId => `${cluster}/cluster/registration`;

/** The registration of a cluster, after its Kubernetes and the other's Rancher. */
export function describeRegistration(
  cluster: Cluster,
  manager: Cluster | undefined,
  after: StepId[],
  within: StepId[],
): Graph {
  const rancher = manager && addonWith(manager, "managesClusters")?.facts.managesClusters;
  if (!cluster.registerWith || !manager || !rancher) return [];
  const node: GraphNode<RegistrationWant> = {
    ...registrationNode(cluster.name, manager.name),
    want: {
      cluster,
      manager,
      hostname: rancher.hostname,
      managesVersion: cluster.registerWith.managesVersion,
    },
    after,
    within: unlessEmpty(within),
    usualMs: 90_000,
    facts: {
      manager: manager.name,
      "Rancher changes nodes": cluster.registerWith.managesVersion ? "yes" : "no",
    },
  };
  return [node];
}

/** One that goes: its cluster need not be in the file any more. */
export const describeLeftover = (cluster: Cluster | { name: string }, manager: Cluster): GraphNode => ({
  ...registrationNode(cluster.name, manager.name),
  want: { cluster, manager, hostname: "", managesVersion: false },
  after: [],
  usualMs: 20_000,
});

const registrationNode = (cluster: string, manager: string) => ({
  id: registrationStep(cluster),
  kind: "rancher/registration",
  name: `registration with Rancher of ${manager}`,
  group: "cluster" as const,
  stage: "addons" as const,
  cluster,
});
