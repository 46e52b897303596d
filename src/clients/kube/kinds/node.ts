import { conditionOf, type Condition, type KubeObject } from "./object.ts";

export interface KubeNode extends KubeObject {
  spec?: {
    unschedulable?: boolean;
    providerID?: string;
    podCIDR?: string;
    taints?: { key: string; value?: string; effect: string }[];
  };
  status?: {
    conditions?: Condition[];
    addresses?: { type: string; address: string }[];
    nodeInfo?: { kubeletVersion: string; osImage: string; kernelVersion: string };
  };
}

/** The kubelet says Ready; a node that has gone silent is Unknown and so not ready. */
export const isNodeReady = (node: KubeNode): boolean => conditionOf(node, "Ready")?.status === "True";
