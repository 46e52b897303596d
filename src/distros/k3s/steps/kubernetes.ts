import { SlipwayError } from "../../../errors/index.ts";
import {
  apiAnswers,
  type ApiWant,
  notReady,
  waitForNodes,
  type NodesWant,
  factChanges,
  factPatch,
  isMarked,
  isPatched,
  release,
  type NodeFacts,
} from "../../kubernetes/index.ts";
import { reasonIn } from "../journal/journal.ts";
import { unitName } from "../files/unit-file.ts";
import { journalLength, plainLine, unitText, type Guest } from "../../linux-hosts/index.ts";
import type { K3sAccess } from "../k3s-access.ts";
import type { KubeClient, KubeNode } from "../../../clients/kube/index.ts";
import { defineResource, same, type FieldChange } from "../../../plan/index.ts";

/** How the first server is reached, too. */
export interface K3sApiWant extends ApiWant {
  controlPlane: Guest;
}

/** The Kubernetes API of a K3s cluster; while it is silent, its first server says what it is busy with. */
export const k3sKubernetesApi = (access: K3sAccess) =>
  apiAnswers<K3sApiWant>("k3s/api", {
    kube: (cluster, server) => access.kube(cluster, server),
    async causeOf({ controlPlane }) {
      const { node } = controlPlane;
      try {
        return await access.using(controlPlane, async (host) => {
          const unit = unitName("server");
          const state = await host.unit(unit);
          if (state.active !== "active") return `${node}: k3s is ${unitText(state)}`;
          const reason = reasonIn(await host.journal(unit, journalLength));
          return reason && `${node}: ${plainLine(reason.line)}`;
        });
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return undefined;
        throw thrown;
      }
    },
  });

export interface K3sNodesWant extends NodesWant {
  /** What Kubernetes is to know of each node, by its name. */
  facts: Record<string, NodeFacts>;
}

interface NodesHave {
  ready: number;
  changes: FieldChange[];
}

/** Every node of the file is registered and Ready, with its labels, taints and annotations as written. */
export const k3sNodesReady = (access: K3sAccess) =>
  defineResource<K3sNodesWant, NodesHave>({
    kind: "k3s/nodes",
    face: () => ({ label: "Nodes Ready" }),

    async read(ctx, want) {
      try {
        const nodes = await (await access.kube(want.cluster, want.endpoint)).nodes(ctx.signal);
        if (notReady(want.nodes, nodes).length > 0) return undefined;
        return {
          ready: want.nodes.length,
          changes: [
            ...ours(want, nodes).flatMap(([node, facts]) => factChanges(node, facts)),
            ...nodes.filter(isMarked).map(cordonChange),
          ],
        };
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return undefined;
        throw thrown;
      }
    },

    compare: (_want, { changes }) =>
      changes.length === 0
        ? same
        : {
            same: false,
            action: "update",
            consequence: changes.some(evicts) ? "disturb" : "hot",
            fields: changes,
          },

    async create(ctx, want) {
      const kube = await access.kube(want.cluster, want.endpoint);
      const nodes = await waitForNodes(ctx, want, () => kube.nodes(ctx.signal));
      return settle(kube, want, nodes, ctx.signal);
    },

    async update(ctx, want) {
      const kube = await access.kube(want.cluster, want.endpoint);
      return settle(kube, want, await kube.nodes(ctx.signal), ctx.signal);
    },

    remove: async () => {},
    out: ({ ready }) => ({ ready }),
  });

const cordonChange = ({ metadata }: KubeNode): FieldChange => ({
  field: `cordon of ${metadata.name}`,
  from: "left by a run that was cut",
  to: "lifted",
});

/** Such a taint ends every pod that does not tolerate it. */
const evicts = ({ field, to }: FieldChange): boolean => field.startsWith("taint") && to.includes("NoExecute");

const ours = ({ facts }: K3sNodesWant, nodes: KubeNode[]): [KubeNode, NodeFacts][] =>
  nodes.flatMap((node): [KubeNode, NodeFacts][] => {
    const wanted = facts[node.metadata.name];
    return wanted ? [[node, wanted]] : [];
  });

/** A kubelet says these things only when it registers; afterwards they are changed here. */
async function settle(
  kube: KubeClient,
  want: K3sNodesWant,
  nodes: KubeNode[],
  signal: AbortSignal,
): Promise<NodesHave> {
  for (const [node, facts] of ours(want, nodes)) {
    if (!isPatched(node, facts)) continue;
    const ref = { apiVersion: "v1", kind: "Node", name: node.metadata.name };
    await kube.patch(ref, factPatch(node, facts), { signal });
  }
  for (const { metadata } of nodes.filter(isMarked)) await release(kube, metadata.name);
  return { ready: want.nodes.length, changes: [] };
}
