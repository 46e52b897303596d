import { inNextTurn, type Clock } from "../../../lib/index.ts";
import type { ClusterFaults } from "../../cluster-faults.ts";
import { digList, digText, refOf, stampOf, type KubeObject } from "../../kube/index.ts";
import type { K3sCluster, Member } from "../cluster.ts";
import type { Life } from "../life.ts";
import { removeMembers } from "./remove-members.ts";

const stallMs = 300_000;

/** What the leader of etcd does: promotes learners, says on each Node how its member is, removes those whose Node goes. */
export async function tendEtcd(life: Life, cluster: K3sCluster, self: Member): Promise<never> {
  const isLeader = () => cluster.leader?.memberId === self.id;
  let isDue = false;
  const stop = cluster.signals.listen(() => {
    if (isDue || !isLeader()) return;
    isDue = true;
    // Changes that come together are looked at together.
    inNextTurn(() => {
      isDue = false;
      look(life, cluster);
    });
  });
  try {
    look(life, cluster);
    return await promoteLearners(life, cluster, isLeader);
  } finally {
    stop();
  }
}

function look({ signal, journal }: Life, cluster: K3sCluster): void {
  if (signal.aborted || !cluster.hasQuorum) return;
  removeMembers(cluster, journal);
  for (const node of cluster.store.list({ apiVersion: "v1", kind: "Node" }))
    if (node.metadata.labels?.["node-role.kubernetes.io/etcd"] === "true") tellVoter(cluster, node);
}

/** By reason. */
const conditions = {
  MemberNotLearner: { status: "True", message: "Node is a voting member of the etcd cluster" },
  MemberIsLearner: {
    status: "False",
    message: "Node has not been promoted to voting member of the etcd cluster",
  },
  Unhealthy: { status: "False", message: "Node is unhealthy" },
  NotAMember: { status: "False", message: "Node is not a member of the etcd cluster" },
} as const;

function tellVoter(cluster: K3sCluster, node: KubeObject): void {
  const reason = reasonFor(cluster, node.metadata.name ?? "");
  const old = digList(node, "status", "conditions");
  const before = old.find((item) => digText(item, "type") === "EtcdIsVoter");
  if (digText(before, "reason") === reason) return;
  const time = stampOf(cluster.store.clock.now());
  const condition = {
    ...{ type: "EtcdIsVoter", reason, ...conditions[reason] },
    ...{ lastHeartbeatTime: time, lastTransitionTime: time },
  };
  const others = old.filter((item) => item !== before);
  const status = { conditions: [condition, ...others] };
  cluster.store.patch(
    refOf(node),
    "merge",
    { status },
    { fieldManager: "k3s-supervisor", subresource: "status" },
  );
}

function reasonFor(cluster: K3sCluster, node: string): keyof typeof conditions {
  const member = cluster.members.find((candidate) => candidate.node === node);
  if (member === undefined) return "NotAMember";
  if (member.isLearner) return "MemberIsLearner";
  return cluster.running.has(member.id) ? "MemberNotLearner" : "Unhealthy";
}

async function promoteLearners(life: Life, cluster: K3sCluster, isLeader: () => boolean): Promise<never> {
  const { host, signal } = life;
  const stalledSince = new Map<string, number>();
  for (;;) {
    await cluster.signals.until(
      () => isLeader() && cluster.members.some((member) => member.isLearner),
      signal,
    );
    await host.clock.sleep(Math.max(20, host.latencies.learnerMs), signal);
    for (const learner of cluster.members.filter((member) => member.isLearner))
      tendLearner(life, cluster, learner, stalledSince);
  }
}

function tendLearner(
  { host, journal }: Life,
  cluster: K3sCluster,
  learner: Member,
  stalledSince: Map<string, number>,
): void {
  if (canPromote(cluster, learner, host.faults.cluster)) {
    journal.info(`Promoted learner ${learner.name}`);
    cluster.promote(learner.id);
    return;
  }
  const since = stalledSince.get(learner.id) ?? host.clock.now();
  stalledSince.set(learner.id, since);
  const forMs = stalledFor(host.clock, since);
  journal.warn(
    `Learner ${learner.name} stalled at RaftAppliedIndex=${cluster.store.revision} for ${forMs / 1000}s`,
  );
  if (forMs <= stallMs) return;
  cluster.removeMember(learner.id);
  journal.warn(`Removed learner ${learner.name} from etcd cluster`);
}

const stalledFor = (clock: Clock, sinceMs: number): number => Math.round(clock.now() - sinceMs);

const canPromote = (cluster: K3sCluster, learner: Member, faults: ClusterFaults): boolean =>
  cluster.running.has(learner.id) && faults.find("learner-stuck", { node: learner.node }) === undefined;
