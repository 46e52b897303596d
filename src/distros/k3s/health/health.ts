import { errorData, SlipwayError } from "../../../errors/index.ts";
import {
  findingOfNodes,
  type Check,
  type Finding,
  type NodeFaults,
  type ReadContext,
} from "../../../plan/index.ts";
import type { K3sCluster, Node } from "../../../spec/index.ts";
import { membersEverywhere, votersIn, type MembersAnswer } from "./etcd-members.ts";
import { apiUnreachable, clocksOff, unitsDown, votersMissing, wouldFound } from "./health-errors.ts";
import { tolerableMs, plainLine, unitText } from "../../linux-hosts/index.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { hasAnswered, askAllNodes, type NodeAnswer, type K3sNodeStatus } from "./node-status.ts";
import { serversOf } from "../step-names.ts";

/** Who does not even let us in is given up on much earlier; right after a start an answer may take its time. */
const statusMs = 60_000;

/** What a healthy K3s cluster shows from outside, from its services up to the API. Each node is asked once for all of it. */
export function k3sHealth(access: K3sAccess, cluster: K3sCluster): Check[] {
  let asked: Promise<Map<string, NodeAnswer>> | undefined;
  const nodeStatuses = (signal: AbortSignal) => (asked ??= askAllNodes(access, cluster, statusMs, signal));
  const servers = serversOf(cluster);
  return [
    {
      id: "k3s-runs",
      title: "K3s runs",
      failing: "K3s does not run",
      run: async ({ signal }) => unitsRun(cluster, await nodeStatuses(signal)),
    },
    {
      id: "etcd-healthy",
      title: "etcd healthy",
      failing: "etcd not healthy",
      run: async ({ signal }) =>
        etcdHealthy(cluster, await membersEverywhere(access, cluster, signal, statusMs)),
    },
    ...(servers.length > 1
      ? [
          {
            id: "one-cluster",
            title: "Servers form one cluster",
            failing: "A server would start another cluster",
            run: async ({ signal }: { signal: AbortSignal }) =>
              noServerFounds(cluster, await nodeStatuses(signal)),
          },
        ]
      : []),
    {
      id: "clocks",
      title: "Clocks agree",
      failing: "Clocks differ",
      run: async ({ signal }) => clocksAgree(cluster, await nodeStatuses(signal)),
    },
    {
      id: "kubernetes-api",
      title: cluster.network.vip === undefined ? "Kubernetes API" : "Kubernetes API through the VIP",
      run: (ctx) => apiAnswers(access, cluster, ctx),
    },
  ];
}

const faultsOf = (nodes: Node[], fault: (node: Node) => string | undefined): NodeFaults =>
  Object.fromEntries(
    nodes.flatMap((node) => {
      const why = fault(node);
      return why === undefined ? [] : [[node.name, why]];
    }),
  );

/** Those that do not answer: why is told once, by the first check. */
const muteOf = (nodes: Node[], nodeStatuses: Map<string, NodeAnswer>): NodeFaults =>
  faultsOf(nodes, ({ name }) => (hasAnswered(nodeStatuses.get(name)) ? undefined : "could not be asked"));

/** What is wrong with nodes that answer. */
const amongAnswering = (
  nodeStatuses: Map<string, NodeAnswer>,
  fault: (nodeStatus: K3sNodeStatus) => string | undefined,
): ((node: Node) => string | undefined) => {
  return ({ name }) => {
    const nodeStatus = nodeStatuses.get(name);
    return hasAnswered(nodeStatus) ? fault(nodeStatus) : undefined;
  };
};

function unitsRun({ name, nodes, distribution }: K3sCluster, nodeStatuses: Map<string, NodeAnswer>): Finding {
  const { version } = distribution;
  const faults = faultsOf(nodes, (node) => {
    const nodeStatus = nodeStatuses.get(node.name);
    if (!hasAnswered(nodeStatus)) return `does not answer: ${nodeStatus?.unreachableBecause ?? "not asked"}`;
    const { unit, reason } = nodeStatus;
    if (unit.active !== "active") return reason ? `says: ${plainLine(reason.line)}` : `is ${unitText(unit)}`;
    return nodeStatus.version === version ? undefined : `has K3s ${nodeStatus.version ?? "none"}`;
  });
  return findingOfNodes(
    { all: nodes.length, needed: `K3s ${version} on every node`, faults, good: `K3s ${version}` },
    (why) => unitsDown({ cluster: name, why, first: firstOf(faults) }),
  );
}

const firstOf = (faults: NodeFaults): string => Object.keys(faults)[0] ?? "";

/** Every server knows exactly the servers of the file as voting members. While most answer, the cluster goes on. */
function etcdHealthy(cluster: K3sCluster, members: Map<string, MembersAnswer>): Finding {
  const servers = serversOf(cluster);
  const wanted = servers.length;
  const unreachable = "does not answer";
  const faults = faultsOf(servers, ({ name }) => {
    const answer = members.get(name);
    const voters = votersIn(answer);
    if (voters === undefined)
      return answer && "unreachableBecause" in answer
        ? `${unreachable}: ${answer.unreachableBecause}`
        : unreachable;
    return voters === wanted ? undefined : `knows ${voters} voting members`;
  });
  const finding = findingOfNodes(
    { all: wanted, needed: `${wanted} voting members on each server`, faults },
    (why) => votersMissing({ cluster: cluster.name, why }),
  );
  const bad = Object.values(faults);
  const hasQuorum = (wanted - bad.length) * 2 > wanted;
  if (bad.length === 0 || !hasQuorum || !bad.every((why) => why.startsWith(unreachable))) return finding;
  const { error: _error, ...rest } = finding;
  return { ...rest, status: "warned", found: `${finding.found ?? ""}, quorum holds` };
}

function noServerFounds(cluster: K3sCluster, nodeStatuses: Map<string, NodeAnswer>): Finding {
  const servers = serversOf(cluster);
  const faults = faultsOf(
    servers,
    amongAnswering(nodeStatuses, ({ isFounder }) =>
      isFounder ? "is still told to start the cluster" : undefined,
    ),
  );
  const mute = muteOf(servers, nodeStatuses);
  return findingOfNodes(
    { all: servers.length, needed: "every server joins the others", faults, mute },
    (why) => wouldFound({ cluster: cluster.name, why, first: firstOf(faults) }),
  );
}

function clocksAgree({ name, nodes }: K3sCluster, nodeStatuses: Map<string, NodeAnswer>): Finding {
  const faults = faultsOf(
    nodes,
    amongAnswering(nodeStatuses, ({ clockAheadMs: ms }) =>
      Math.abs(ms) <= tolerableMs
        ? undefined
        : `is ${Math.round(Math.abs(ms) / 1000)}s ${ms > 0 ? "ahead" : "behind"}`,
    ),
  );
  return findingOfNodes(
    {
      ...{ all: nodes.length, needed: `at most ${tolerableMs / 1000}s off from this computer` },
      ...{ faults, mute: muteOf(nodes, nodeStatuses) },
    },
    (why) => clocksOff({ cluster: name, why, first: firstOf(faults) }),
  );
}

/** A VIP that changes hands is silent for a few seconds. */
const vipMoves = { times: 5, everyMs: 2_000 };

async function apiAnswers(
  access: K3sAccess,
  { name, endpoint }: K3sCluster,
  { signal, clock }: ReadContext,
): Promise<Finding> {
  const needed = `${endpoint} ready`;
  for (let time = 1; ; time++) {
    const why = await whyUnreachable(access, name, endpoint, signal);
    if (why === undefined) return { status: "ok", needed, found: needed };
    if (time === vipMoves.times)
      return {
        ...{ status: "failed", needed, found: why },
        error: errorData(apiUnreachable({ cluster: name, endpoint, why })),
      };
    await clock.sleep(vipMoves.everyMs, signal);
  }
}

async function whyUnreachable(
  access: K3sAccess,
  cluster: string,
  endpoint: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const kube = await access.kube(cluster, endpoint);
    return (await kube.isReady(signal)) ? undefined : `${endpoint} answers and says that it is not ready`;
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return thrown.why;
    throw thrown;
  }
}
