import type { KubeNode } from "../../clients/kube/index.ts";
import type { Seen } from "../../plan/index.ts";

export const notYet = (seen: string): Seen<string> => ({ done: false, seen });

/** `cp-1, cp-2 and 3 more`. */
export const shortList = (names: string[]): string =>
  names.length === 0
    ? "no node"
    : names.length > 3
      ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`
      : names.join(", ");

/** On nodes that wait for a cloud controller. */
export const uninitialized = "node.cloudprovider.kubernetes.io/uninitialized";

export const taintedNodes = (nodes: KubeNode[], key: string): string[] =>
  nodes
    .filter((node) => node.spec?.taints?.some((taint) => taint.key === key))
    .map((node) => node.metadata.name);
