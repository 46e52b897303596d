import { errorData, SlipwayError } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import {
  findingOfNodes,
  type Check,
  type Finding,
  type NodeFaults,
  type ReadContext,
} from "../../../plan/index.ts";
import type { K3sCluster, Node } from "../../../spec/index.ts";
import { membersEverywhere, votersIn, type MembersAnswer } from "./etcd-members.ts";
import {
  apiSilent,
  certificatesEnding,
  clocksOff,
  unitsDown,
  votersMissing,
  wouldFound,
} from "./health-errors.ts";
import { tolerableMs } from "./host-clock.ts";
import { plainLine } from "./journal-lines.ts";
import type { K3sAccess } from "./k3s-access.ts";
import { isSight, lookEverywhere, type NodeAnswer, type NodeSight } from "./node-sight.ts";
import { servingEnd } from "./serving-end.ts";
import { serversOf } from "./step-names.ts";
import { unitInWords } from "./unit-state.ts";

const patienceMs = 20_000;
/** Who does not even let us in is given up on much earlier; right after a start an answer may take its time. */
const sightMs = 60_000;
const renewBeforeMs = 30 * 86_400_000;

/** What a healthy K3s cluster shows from outside, from its services up to the API. Each node is asked once for all of it. */
export function k3sHealth(access: K3sAccess, cluster: K3sCluster): Check[] {
  let asked: Promise<Map<string, NodeAnswer>> | undefined;
  const sights = (signal: AbortSignal) => (asked ??= lookEverywhere(access, cluster, sightMs, signal));
  const servers = serversOf(cluster);
  return [
    {
      id: "k3s-runs",
      title: "K3s runs",
      run: async ({ signal }) => unitsRun(cluster, await sights(signal)),
    },
    {
      id: "etcd-healthy",
      title: "etcd healthy",
      run: async ({ signal }) =>
        etcdHealthy(cluster, await membersEverywhere(access, cluster, signal, sightMs)),
    },
    ...(servers.length > 1
      ? [
          {
            id: "one-cluster",
            title: "No server would found another cluster",
            run: async ({ signal }: { signal: AbortSignal }) => nobodyFounds(cluster, await sights(signal)),
          },
        ]
      : []),
    {
      id: "clocks",
      title: "Clocks agree",
      run: async ({ signal }) => clocksAgree(cluster, await sights(signal)),
    },
    {
      id: "api-certificates",
      title: "Certificates of the API",
      run: ({ signal }) => certificatesLast(access, cluster, signal),
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
const muteOf = (nodes: Node[], sights: Map<string, NodeAnswer>): NodeFaults =>
  faultsOf(nodes, ({ name }) => (isSight(sights.get(name)) ? undefined : "could not be asked"));

/** What is wrong with nodes that answer. */
const amongAnswering = (
  sights: Map<string, NodeAnswer>,
  fault: (sight: NodeSight) => string | undefined,
): ((node: Node) => string | undefined) => {
  return ({ name }) => {
    const sight = sights.get(name);
    return isSight(sight) ? fault(sight) : undefined;
  };
};

function unitsRun({ name, nodes, distribution }: K3sCluster, sights: Map<string, NodeAnswer>): Finding {
  const { version } = distribution;
  const faults = faultsOf(nodes, (node) => {
    const sight = sights.get(node.name);
    if (!isSight(sight)) return `does not answer: ${sight?.silence ?? "nobody asked"}`;
    const { unit, reason } = sight;
    if (unit.active !== "active")
      return reason ? `says: ${plainLine(reason.line)}` : `is ${unitInWords(unit)}`;
    return sight.version === version ? undefined : `has K3s ${sight.version ?? "none"}`;
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
  const silent = "does not answer";
  const faults = faultsOf(servers, ({ name }) => {
    const answer = members.get(name);
    const voters = votersIn(answer);
    if (voters === undefined) return answer && "silence" in answer ? `${silent}: ${answer.silence}` : silent;
    return voters === wanted ? undefined : `knows ${voters} voting members`;
  });
  const finding = findingOfNodes(
    { all: wanted, needed: `${wanted} voting members on each server`, faults },
    (why) => votersMissing({ cluster: cluster.name, why }),
  );
  const bad = Object.values(faults);
  const hasQuorum = (wanted - bad.length) * 2 > wanted;
  if (bad.length === 0 || !hasQuorum || !bad.every((why) => why.startsWith(silent))) return finding;
  const { error: _error, ...rest } = finding;
  return { ...rest, status: "warned", found: `${finding.found ?? ""}, quorum holds` };
}

function nobodyFounds(cluster: K3sCluster, sights: Map<string, NodeAnswer>): Finding {
  const servers = serversOf(cluster);
  const faults = faultsOf(
    servers,
    amongAnswering(sights, ({ isFounder }) => (isFounder ? "is still told to found the cluster" : undefined)),
  );
  const mute = muteOf(servers, sights);
  return findingOfNodes(
    { all: servers.length, needed: "every server joins the others", faults, mute },
    (why) => wouldFound({ cluster: cluster.name, why, first: firstOf(faults) }),
  );
}

function clocksAgree({ name, nodes }: K3sCluster, sights: Map<string, NodeAnswer>): Finding {
  const faults = faultsOf(
    nodes,
    amongAnswering(sights, ({ clockAheadMs: ms }) =>
      Math.abs(ms) <= tolerableMs
        ? undefined
        : `is ${Math.round(Math.abs(ms) / 1000)}s ${ms > 0 ? "ahead" : "behind"}`,
    ),
  );
  return findingOfNodes(
    {
      ...{ all: nodes.length, needed: `at most ${tolerableMs / 1000}s apart from this computer` },
      ...{ faults, mute: muteOf(nodes, sights) },
    },
    (why) => clocksOff({ cluster: name, why, first: firstOf(faults) }),
  );
}

/** K3s renews them at a start, and only there. */
async function certificatesLast(
  access: K3sAccess,
  cluster: K3sCluster,
  signal: AbortSignal,
): Promise<Finding> {
  const servers = serversOf(cluster);
  const dial = access.world.dialFor(cluster.name);
  const ends = await Promise.all(
    servers.map(({ address }) =>
      limitTime(patienceMs, "late", signal, (limit) =>
        servingEnd({ host: address, port: 6443 }, dial, limit),
      ).catch(() => undefined),
    ),
  );
  const now = access.world.wall.now();
  const faults = faultsOf(servers, (node) => {
    const end = ends[servers.indexOf(node)];
    const days = end === undefined ? undefined : Math.floor((end - now) / 86_400_000);
    return days === undefined || end === undefined || end - now > renewBeforeMs
      ? undefined
      : `shows one that ${days < 0 ? "has ended" : `ends in ${days} days`}`;
  });
  const mute = faultsOf(servers, (node) =>
    ends[servers.indexOf(node)] === undefined ? "could not be asked" : undefined,
  );
  return findingOfNodes({ all: servers.length, needed: "valid for 30 days at least", faults, mute }, (why) =>
    certificatesEnding({ cluster: cluster.name, why, first: firstOf(faults) }),
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
    const why = await whySilent(access, name, endpoint, signal);
    if (why === undefined) return { status: "ok", needed, found: needed };
    if (time === vipMoves.times)
      return {
        ...{ status: "failed", needed, found: why },
        error: errorData(apiSilent({ cluster: name, endpoint, why })),
      };
    await clock.sleep(vipMoves.everyMs, signal);
  }
}

async function whySilent(
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
