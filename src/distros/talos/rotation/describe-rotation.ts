import type { RotationSteps, CaRotationWanted, Graph, GraphNode, RollingGates } from "../../../plan/index.ts";
import { caNames, caStages, type CaName, type CaStage } from "../../../secrets/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import { demandHealthy, inOrder, nothingToFinish, unknownCa } from "../../kubernetes/index.ts";
import { stageWanted } from "../config/index.ts";
import type { AccessWant } from "../steps/access-files.ts";
import type { NodeConfigWant } from "../steps/node/node-config-want.ts";
import type { TalosAccess } from "../talos-access.ts";
import type { CaFilesWant, CaNodeWant, CaSecretsWant } from "./ca-steps.ts";
import { caArguments, caCommand, caTitles } from "./running-authorities.ts";

interface Facts {
  cluster: string;
  ca: CaName;
  again: string;
  nodes: GraphNode<NodeConfigWant>[];
  access: AccessWant;
}

/**
 * The exchange of an authority, stage by stage, each with the secrets first, then the nodes, then the files. It ends
 * before the old one is dropped, unless it is to be finished or that has begun.
 */
export async function describeCaRotation(
  access: TalosAccess,
  gates: RollingGates,
  { name: cluster }: Cluster,
  described: Graph,
  wanted: CaRotationWanted,
): Promise<RotationSteps> {
  const ca = caNames.find((name) => caArguments[name] === wanted.ca);
  if (ca === undefined)
    throw unknownCa({ cluster, ca: wanted.ca, known: Object.values(caArguments), others: othersStay });
  const command = caCommand(ca, cluster);
  const nodes = described.filter(({ kind }) => kind === "talos/config") as GraphNode<NodeConfigWant>[];
  const reached = stageWanted(await access.bundle(cluster), ca);
  if (wanted.finishes && reached === 0) throw nothingToFinish({ cluster, ca: caTitles[ca], command });
  const names = nodes.map(({ want }) => want.node);
  if (reached === 0) await demandHealthy({ cluster, what: caTitles[ca] }, names, gates);
  const isFinished = wanted.finishes || reached === caStages.length;
  const files = described.find(({ kind }) => kind === "talos/access")?.want as AccessWant;
  const facts = { cluster, ca, again: command, nodes, access: files };
  const ranks = caStages
    .filter((stage) => stage !== "drop" || isFinished)
    .flatMap((stage) => ranksOf(facts, stage));
  return {
    title: caTitles[ca],
    steps: inOrder(isFinished ? [...ranks, [endStep(facts)]] : ranks),
    warnings: warningsAbout(ca, cluster, isFinished),
  };
}

const othersStay =
  "etcd, the aggregator and service accounts keep theirs, for no supported way exists to exchange them";

/** What an exchange costs those who are not asked. */
function warningsAbout(ca: CaName, cluster: string, isFinished: boolean): string[] {
  const file = ca === "os" ? "talosconfig" : "kubeconfig";
  const program = ca === "os" ? "talosctl" : "kubectl";
  return [
    ...(isFinished
      ? [
          `every ${file} that was issued by the old CA is refused from now on; slipway ${file} ${cluster} prints one that is not`,
        ]
      : [
          `copies of the ${file} that others have trust the old CA only: ${program} stops working with them as nodes issue with the new one; slipway ${file} ${cluster} prints one that goes on`,
        ]),
    ...(ca === "kubernetes"
      ? ["API server and kubelet of each node start again, one node at a time; pods run on"]
      : []),
    ...(ca === "kubernetes" && isFinished
      ? [
          "pods that have run since before the rotation know the old CA only: those that speak to the Kubernetes API have to be started again first",
        ]
      : []),
  ];
}

function ranksOf(facts: Facts, stage: CaStage): Graph[] {
  const steps = facts.nodes.map((node) => nodeStep(facts, stage, node));
  const isControlPlane = ({ node }: GraphNode): boolean =>
    facts.nodes.some((each) => each.node === node && each.role === "control-plane");
  const controlPlanes = steps.filter(isControlPlane);
  const workers = steps.filter((step) => !isControlPlane(step));
  // A kubelet whose certificate is of the old one gets another when it drops that itself, and has to before API servers do.
  const inTurn = stage === "drop" ? [workers, controlPlanes] : [controlPlanes, workers];
  return [[secretsStep(facts, stage)], ...inTurn, [filesStep(facts, stage)]];
}

const titles: Record<CaStage, { secrets: string; node: string; all: string }> = {
  accept: {
    secrets: "Make a new",
    node: "accept the new",
    all: "all nodes accept the new CA beside the old",
  },
  issue: {
    secrets: "Let nodes issue with the new",
    node: "issue with the new",
    all: "all nodes issue with the new CA, the old one is still accepted",
  },
  drop: { secrets: "Give up the old", node: "drop the old", all: "no node accepts the old CA any more" },
};

const common = (
  cluster: string,
  stage: CaStage,
): Pick<GraphNode, "group" | "stage" | "cluster" | "after" | "facts"> => ({
  group: "cluster",
  stage: "distro",
  cluster,
  after: [],
  facts: { stage: titles[stage].all },
});

const secretsStep = ({ cluster, ca, again, nodes }: Facts, stage: CaStage): GraphNode<CaSecretsWant> => ({
  ...common(cluster, stage),
  id: `${cluster}/ca-${stage}/secrets`,
  kind: "talos/ca-secrets",
  name: "secrets",
  title: `${titles[stage].secrets} ${caTitles[ca]}, as the secrets say it`,
  want: { cluster, ca, stage, again, nodes: nodes.map(({ want }) => want) },
  usualMs: 5_000,
});

const endStep = (facts: Facts): GraphNode<CaSecretsWant> => {
  const step = secretsStep(facts, "drop");
  return {
    ...step,
    id: `${facts.cluster}/ca-drop/end`,
    title: `Forget the old ${caTitles[facts.ca]}`,
    want: { ...step.want, isEnd: true },
  };
};

const nodeStep = (
  { cluster, ca }: Facts,
  stage: CaStage,
  { want, node, role, atOnce }: GraphNode<NodeConfigWant>,
): GraphNode<CaNodeWant> => ({
  ...common(cluster, stage),
  id: `${cluster}/ca-${stage}/${node ?? ""}`,
  kind: `talos/ca-${stage}`,
  name: `CA of ${node ?? ""}`,
  title: `Let ${node ?? ""} ${titles[stage].node} ${caTitles[ca]}`,
  want: { cluster, ca, stage, node: want },
  group: "nodes",
  node,
  // The engine lets control planes go first wherever it knows of them.
  ...(stage !== "drop" && { role }),
  ...(atOnce !== undefined && { atOnce }),
  usualMs: ca === "os" ? 3_000 : 45_000,
});

const filesStep = ({ cluster, ca, again, nodes, access }: Facts, stage: CaStage): GraphNode<CaFilesWant> => ({
  ...common(cluster, stage),
  id: `${cluster}/ca-${stage}/files`,
  kind: "talos/ca-files",
  name: "kubeconfig and talosconfig",
  title: "Write kubeconfig and talosconfig again",
  want: { cluster, ca, stage, again, nodes: nodes.map(({ want }) => want), access },
  usualMs: 100,
});
