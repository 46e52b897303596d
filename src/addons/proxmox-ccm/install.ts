import type { KubeNode } from "../../clients/kube/index.ts";
import type { Cluster } from "../../spec/index.ts";
import {
  accountMark,
  accountPart,
  type AddonInstallation,
  notYet,
  releasePart,
  shortList,
  taintedNodes,
  uninitialized,
} from "../common/index.ts";

const namespace = "kube-system";
const release = "proxmox-cloud-controller-manager";

/** Tells Kubernetes which machine in which Proxmox every node is. */
export const installation: AddonInstallation = {
  parts: ({ addon, version }) => [
    accountPart({ name: release, namespace }),
    releasePart(addon, {
      name: release,
      namespace,
      chart: { oci: "oci://ghcr.io/sergelogvinov/charts/proxmox-cloud-controller-manager" },
      version,
      values: {
        existingConfigSecret: release,
        existingConfigSecretKey: "config.yaml",
        // The chart's values for Talos leave out the first, which is the one that greets new nodes.
        enabledControllers: ["cloud-node", "cloud-node-lifecycle"],
      },
      // It reads the account only when it starts.
      secrets: [{ path: ["podAnnotations", accountMark], secret: "cloudAccount", isMark: true }],
    }),
  ],

  readiness: () => ({ workloads: [{ kind: "Deployment", namespace, name: release }] }),

  async prove(kube, { cluster }, { signal }) {
    const nodes = await kube.nodes(signal);
    const waiting = taintedNodes(nodes, uninitialized);
    if (waiting.length > 0 || nodes.length === 0)
      return notYet(
        `${shortList(waiting)} not initialized yet: is each machine in Proxmox named like its node?`,
      );
    const strange = nodes.map((node) => strangeness(node, cluster)).find((found) => found !== undefined);
    return strange === undefined
      ? { done: true, value: `${nodes.length} nodes have their provider ID and zone` }
      : notYet(strange);
  },
};

interface CloudNode extends KubeNode {
  spec?: KubeNode["spec"] & { providerID?: string };
}

/** What is wrong with how a node is known, if anything. */
function strangeness(node: CloudNode, cluster: Cluster): string | undefined {
  const { name, labels } = node.metadata;
  const found = /^proxmox:\/\/[^/]+\/(\d+)$/.exec(node.spec?.providerID ?? "");
  if (!found)
    return `${name} has ${node.spec?.providerID ?? "no providerID"} instead of proxmox://REGION/VMID`;
  const vmid = cluster.nodes.find((each) => each.name === name)?.vmid;
  if (vmid !== undefined && Number(found[1]) !== vmid)
    return `${name} is taken for machine ${found[1]}, it is ${vmid}`;
  return labels?.["topology.kubernetes.io/zone"] === undefined ? `${name} has no zone` : undefined;
}
