import { conditionOf, isNodeReady, type KubeNode } from "../../clients/kube/index.ts";
import { findingOfNodes, type Check } from "../../plan/index.ts";
import { nodesNotReady } from "./errors.ts";
import { needsApi, type HealthFacts } from "./health-facts.ts";

/** Every node of the file is registered and Ready. */
export const nodesReady = (facts: HealthFacts): Check => ({
  id: "nodes-ready",
  title: "Nodes Ready",
  failing: "Nodes not Ready",
  needs: needsApi,
  async run({ signal }) {
    const { name, nodes } = facts.cluster;
    const known = await facts.nodes(signal);
    const faults = Object.fromEntries(
      nodes.flatMap((node): [string, string][] => {
        const why = whyNotReady(known.get(node.name));
        return why === undefined ? [] : [[node.name, why]];
      }),
    );
    return findingOfNodes({ all: nodes.length, needed: "every node Ready", faults }, (why) =>
      nodesNotReady({ cluster: name, why, first: Object.keys(faults)[0] ?? "" }),
    );
  },
});

function whyNotReady(node: KubeNode | undefined): string | undefined {
  if (!node) return "is unknown to Kubernetes";
  if (isNodeReady(node)) return undefined;
  const { message } = conditionOf(node, "Ready") ?? {};
  return `is not Ready${message === undefined ? "" : `: ${message.replace(/\.$/, "")}`}`;
}
