import type { DatabaseInspection, NodeInspection } from "../../../plan/index.ts";
import type { K3sCluster, Node } from "../../../spec/index.ts";
import { unitName } from "../files/unit-file.ts";
import { membersEverywhere, type MembersAnswer } from "./etcd-members.ts";
import { plainLine, unitText } from "../../linux-hosts/index.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { hasAnswered, askAllNodes, type NodeAnswer, type K3sNodeStatus } from "./node-status.ts";
import { roleOf } from "../step-names.ts";

const patienceMs = 6_000;

/** What every node says of itself: its service and why it does not run, its clock, its part of etcd. */
export async function inspectNodes(
  access: K3sAccess,
  cluster: K3sCluster,
  signal: AbortSignal,
): Promise<Map<string, NodeInspection>> {
  const [nodeStatuses, members] = await Promise.all([
    askAllNodes(access, cluster, patienceMs, signal),
    membersEverywhere(access, cluster, signal),
  ]);
  return new Map(
    cluster.nodes.map((node) => [
      node.name,
      inspectionOf(node, nodeStatuses.get(node.name), members.get(node.name)),
    ]),
  );
}

function inspectionOf(
  node: Node,
  answer: NodeAnswer | undefined,
  members: MembersAnswer | undefined,
): NodeInspection {
  const nothing = { node: node.name, complaints: [], addresses: [] };
  if (!hasAnswered(answer)) {
    const state = answer?.isForeign ? "foreign" : "unreachable";
    return { ...nothing, state, unreachableBecause: answer?.unreachableBecause ?? "not asked" };
  }
  if (answer.version === undefined) return { ...nothing, state: "unconfigured", addresses: answer.addresses };
  return {
    node: node.name,
    state: "ours",
    complaints: complaintsOf(node, answer),
    addresses: answer.addresses,
    clockAheadMs: answer.clockAheadMs,
    database: node.role === "control-plane" ? databaseOf(members) : undefined,
  };
}

function complaintsOf(node: Node, { unit, reason }: K3sNodeStatus): NodeInspection["complaints"] {
  if (unit.active === "active") return [];
  const part = unitName(roleOf(node));
  return [{ part, why: reason ? plainLine(reason.line) : `is ${unitText(unit)}` }];
}

const databaseOf = (members: MembersAnswer | undefined): DatabaseInspection =>
  Array.isArray(members)
    ? { members: members.map(({ name }) => withoutSuffix(name)), alarms: [] }
    : { members: [], alarms: [], unreachableBecause: members?.unreachableBecause ?? "not asked" };

/** Members are called after their node, with eight digits behind it. */
const withoutSuffix = (member: string): string => member.replace(/-[0-9a-f]{8}$/, "");
