import type { NodeExam } from "../../../plan/index.ts";
import type { K3sCluster, Node } from "../../../spec/index.ts";
import { unitName } from "../unit-file.ts";
import { membersEverywhere, type MembersAnswer } from "./etcd-members.ts";
import { plainLine } from "./journal-lines.ts";
import type { K3sAccess } from "./k3s-access.ts";
import { isSight, lookEverywhere, type NodeAnswer, type NodeSight } from "./node-sight.ts";
import { roleOf } from "./step-names.ts";
import { unitInWords } from "./unit-state.ts";

const patienceMs = 6_000;

/** What every node says of itself: its service and why it does not run, its clock, its part of etcd. */
export async function examineNodes(
  access: K3sAccess,
  cluster: K3sCluster,
  signal: AbortSignal,
): Promise<Map<string, NodeExam>> {
  const [sights, members] = await Promise.all([
    lookEverywhere(access, cluster, patienceMs, signal),
    membersEverywhere(access, cluster, signal),
  ]);
  return new Map(
    cluster.nodes.map((node) => [node.name, examOf(node, sights.get(node.name), members.get(node.name))]),
  );
}

function examOf(node: Node, answer: NodeAnswer | undefined, members: MembersAnswer | undefined): NodeExam {
  const nothing = { node: node.name, complaints: [], addresses: [] };
  if (!isSight(answer)) {
    const state = answer?.isForeign ? "foreign" : "silent";
    return { ...nothing, state, silence: answer?.silence ?? "nobody asked" };
  }
  if (answer.version === undefined) return { ...nothing, state: "unconfigured", addresses: answer.addresses };
  return {
    node: node.name,
    state: "ours",
    complaints: complaintsOf(node, answer),
    addresses: answer.addresses,
    clockAheadMs: answer.clockAheadMs,
    ...(node.role === "control-plane" && { database: databaseOf(members) }),
  };
}

function complaintsOf(node: Node, { unit, reason }: NodeSight): NodeExam["complaints"] {
  if (unit.active === "active") return [];
  const part = unitName(roleOf(node));
  return [{ part, why: reason ? plainLine(reason.line) : `is ${unitInWords(unit)}` }];
}

const databaseOf = (members: MembersAnswer | undefined): NonNullable<NodeExam["database"]> =>
  Array.isArray(members)
    ? { members: members.map(({ name }) => withoutSuffix(name)), alarms: [] }
    : { members: [], alarms: [], silence: members?.silence ?? "nobody asked" };

/** Members are called after their node, with eight digits behind it. */
const withoutSuffix = (member: string): string => member.replace(/-[0-9a-f]{8}$/, "");
