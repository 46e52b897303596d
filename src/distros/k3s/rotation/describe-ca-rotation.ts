import type { CaRotationWanted, Graph, GraphNode, RollingGates, RotationSteps } from "../../../plan/index.ts";
import { k3sCaStages, type K3sCaStage } from "../../../secrets/index.ts";
import type { K3sCluster } from "../../../spec/index.ts";
import { demandHealthy, inOrder, nothingToFinish, unknownCa } from "../../kubernetes/index.ts";
import type { K3sAccess } from "../k3s-access.ts";
import type { NodeWant } from "../steps/node/node-want.ts";
import type { K3sCaHandoverWant, K3sCaNodeWant, K3sCaSecretsWant } from "./ca-steps.ts";
import { stageOfSecrets } from "./ca-stage.ts";

const title = "CAs of K3s";
const known = "kubernetes";

interface Facts {
  cluster: string;
  endpoint: string;
  again: string;
  nodes: GraphNode<NodeWant>[];
}

/**
 * The exchange of all authorities of a cluster, with their root: the secrets first, then K3s is given the new set, then the
 * nodes start again one by one. It ends before the old ones are dropped, unless it is to be finished or that has begun.
 */
export async function describeCaRotation(
  access: K3sAccess,
  gates: RollingGates,
  { name: cluster, endpoint }: K3sCluster,
  described: Graph,
  wanted: CaRotationWanted,
): Promise<RotationSteps> {
  const others = "all CAs of K3s are exchanged together, but for the key of service accounts, which stays";
  if (wanted.ca !== known) throw unknownCa({ cluster, ca: wanted.ca, known: [known], others });
  const again = `slipway rotate ca ${known} ${cluster}`;
  const nodes = described.filter(({ kind }) => kind === "k3s/node") as GraphNode<NodeWant>[];
  const reached = stageOfSecrets(await access.bundle(cluster));
  if (wanted.finishes && reached === 0) throw nothingToFinish({ cluster, ca: title, command: again });
  const names = nodes.map(({ want }) => want.node);
  if (reached === 0) await demandHealthy({ cluster, what: title }, names, gates);
  const isFinished = wanted.finishes || reached === k3sCaStages.length;
  const facts = { cluster, endpoint, again, nodes };
  const ranks = k3sCaStages
    .filter((stage) => stage !== "drop" || isFinished)
    .flatMap((stage) => ranksOf(facts, stage));
  return {
    title,
    steps: inOrder(isFinished ? [...ranks, [endStep(facts)]] : ranks),
    warnings: warningsAbout(cluster, isFinished),
  };
}

/** What an exchange costs those who are not asked. */
const warningsAbout = (cluster: string, isFinished: boolean): string[] => [
  isFinished
    ? `every kubeconfig that was issued by the old CA is refused from now on; slipway kubeconfig ${cluster} prints one that is not`
    : `copies of the kubeconfig that others have work until the old CA is dropped; slipway kubeconfig ${cluster} prints one that goes on`,
  "K3s of each node starts again, one node at a time; pods run on",
  ...(isFinished
    ? [
        "pods that have run since before the rotation know the old CA only: those that speak to the Kubernetes API have to be started again first",
        "an agent that starts again by itself before its turn waits until its turn has come",
      ]
    : []),
];

function ranksOf(facts: Facts, stage: K3sCaStage): Graph[] {
  const { nodes } = facts;
  const servers = nodes.filter(({ want }) => want.role === "server");
  const agents = nodes.filter(({ want }) => want.role === "agent");
  return [
    [secretsStep(facts, stage)],
    [handoverStep(facts, stage, servers)],
    servers.map((node) => nodeStep(facts, stage, node)),
    agents.map((node) => nodeStep(facts, stage, node)),
    [filesStep(facts, stage)],
  ];
}

const titles: Record<K3sCaStage, { secrets: string; handover: string; node: string; all: string }> = {
  issue: {
    secrets: "Make new CAs of K3s, as the secrets say it",
    handover: "Hand the new CAs to K3s, vouched for by the old",
    node: "issue with the new CAs",
    all: "all nodes issue with the new CAs, the old ones are still accepted",
  },
  drop: {
    secrets: "Give up the old CAs of K3s, as the secrets say it",
    handover: "Take the old CAs from K3s",
    node: "drop the old CAs",
    all: "no node accepts the old CAs any more",
  },
};

const common = (
  cluster: string,
  stage: K3sCaStage,
): Pick<GraphNode, "group" | "stage" | "cluster" | "after" | "facts"> => ({
  group: "cluster",
  stage: "distro",
  cluster,
  after: [],
  facts: { stage: titles[stage].all },
});

const secretsStep = (
  { cluster, endpoint, again, nodes }: Facts,
  stage: K3sCaStage,
): GraphNode<K3sCaSecretsWant> => ({
  ...common(cluster, stage),
  id: `${cluster}/ca-${stage}/secrets`,
  kind: "k3s/ca-secrets",
  name: "secrets",
  title: titles[stage].secrets,
  want: { cluster, endpoint, stage, again, nodes: nodes.map(({ want }) => want) },
  usualMs: 5_000,
});

const endStep = (facts: Facts): GraphNode<K3sCaSecretsWant> => {
  const step = secretsStep(facts, "drop");
  return {
    ...step,
    id: `${facts.cluster}/ca-drop/end`,
    title: "Forget the old CAs of K3s",
    want: { ...step.want, isEnd: true },
  };
};

const handoverStep = (
  { cluster }: Facts,
  stage: K3sCaStage,
  servers: GraphNode<NodeWant>[],
): GraphNode<K3sCaHandoverWant> => ({
  ...common(cluster, stage),
  id: `${cluster}/ca-${stage}/handover`,
  kind: "k3s/ca-handover",
  name: title,
  title: titles[stage].handover,
  want: { cluster, stage, servers: servers.map(({ want }) => want) },
  usualMs: 5_000,
});

const nodeStep = (
  { cluster }: Facts,
  stage: K3sCaStage,
  { want, node, role, atOnce }: GraphNode<NodeWant>,
): GraphNode<K3sCaNodeWant> => ({
  ...common(cluster, stage),
  id: `${cluster}/ca-${stage}/${node ?? ""}`,
  kind: `k3s/ca-${stage}`,
  name: `CA of ${node ?? ""}`,
  title: `Let ${node ?? ""} ${titles[stage].node}`,
  want: { cluster, stage, node: want },
  group: "nodes",
  node,
  role,
  ...(atOnce !== undefined && { atOnce }),
  usualMs: want.role === "server" ? 40_000 : 20_000,
});

const filesStep = (facts: Facts, stage: K3sCaStage): GraphNode<K3sCaSecretsWant> => ({
  ...common(facts.cluster, stage),
  id: `${facts.cluster}/ca-${stage}/files`,
  kind: "k3s/ca-files",
  name: "kubeconfig",
  title: "Write the kubeconfig again",
  want: secretsStep(facts, stage).want,
  usualMs: 100,
});
