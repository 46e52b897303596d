import type { StepContext } from "../../../../plan/index.ts";
import type { TalosAccess } from "../../talos-access.ts";
import type { Role } from "../../../../spec/index.ts";

export interface KubernetesNode {
  node: string;
  address: string;
  role: Role;
}

/** The version that all parts of Kubernetes should have, on nodes that are there: control planes first. */
export interface KubernetesWant {
  cluster: string;
  endpoint: string;
  version: string;
  /** On the way to a later one: newer ones will do. */
  isOnTheWay?: true;
  /** What it runs by then, where other versions come before. */
  from?: string | undefined;
  /** How many kubelets of workers may start again at once. */
  workersAtOnce: number;
  nodes: KubernetesNode[];
}

/** One cluster whose Kubernetes gets another version. */
export interface KubernetesSite {
  access: TalosAccess;
  ctx: StepContext;
  want: KubernetesWant;
}
