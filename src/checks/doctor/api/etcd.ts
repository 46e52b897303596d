import { errorData } from "../../../errors/index.ts";
import type { NodeInspection } from "../../../plan/index.ts";
import { etcdAlarm, etcdMemberLost, etcdNoQuorum, etcdNotFounded, etcdNotStarting } from "./errors.ts";
import { machinesRun } from "../machines/machines.ts";
import { nodesAnswer } from "../machines/nodes.ts";
import { kubernetesOf, type Inspection } from "../inspection.ts";
import { no, unknown, yes, type Answer, type Question } from "../question.ts";
import { listed, short } from "../text.ts";

interface Members {
  all: NodeInspection[];
  /** Those whose etcd answers. */
  up: NodeInspection[];
  /** Members that run, whether or not they can agree on anything. */
  running: number;
  /** Control planes that say nothing at all. */
  unreachable: string[];
}

async function membersOf(inspection: Inspection): Promise<Members> {
  const nodeInspections = await inspection.nodes();
  const controlPlanes = inspection.cluster.nodes.filter(({ role }) => role === "control-plane");
  const all = controlPlanes.flatMap(({ name }) => nodeInspections.get(name) ?? []);
  const up = all.filter(({ database }) => (database?.members.length ?? 0) > 0);
  const unreachable = all.filter(({ state }) => state !== "ours").map(({ node }) => node);
  const running = all.filter(({ state, database }) => state === "ours" && !database?.isWaiting).length;
  return { all, up, running, unreachable };
}

/** More than half of the members must agree before anything is written. Asked while the API does not answer. */
export const etcdQuorum: Question = {
  id: "etcd-quorum",
  title: "Has etcd quorum?",
  async ask(inspection) {
    const { all, up, running, unreachable } = await membersOf(inspection);
    const alarm = up.find(({ database }) => (database?.alarms.length ?? 0) > 0);
    if (alarm) return alarmAnswer(inspection, alarm);
    if (up.length * 2 > all.length) return yes(`${up.length} of ${all.length}`);
    const seen = `${running} of ${all.length}${unreachable.length > 0 ? `: ${listed(unreachable)} unreachable` : ""}`;
    if (unreachable.length > 0)
      return no(seen, {
        further: [machinesRun(unreachable), nodesAnswer(unreachable)],
        cause: errorData(etcdNoQuorum({ cluster: inspection.cluster.name, up: running, all: all.length })),
      });
    return no(seen, {
      further: [etcdFounded],
      cause: errorData(etcdNoQuorum({ cluster: inspection.cluster.name, up: running, all: all.length })),
    });
  },
};

/** All control planes answer, and etcd on them waits for the one call that founds it. */
const etcdFounded: Question = {
  id: "etcd-founded",
  title: "Was etcd bootstrapped?",
  async ask(inspection) {
    const { all } = await membersOf(inspection);
    const waiting = all.filter(({ database }) => database?.isWaiting).map(({ node }) => node);
    const why =
      all.find(({ database }) => database?.unreachableBecause !== undefined)?.database?.unreachableBecause ??
      "";
    const stuck = all.find(({ complaints }) => complaints.some(({ part }) => part === "etcd"));
    const trouble = stuck?.complaints.find(({ part }) => part === "etcd")?.why;
    if (stuck && trouble !== undefined) return notMember(inspection, stuck.node, trouble);
    if (waiting.length < all.length) return yes(short(why) || "it has run before");
    return no(`etcd waits on ${listed(waiting)}`, {
      cause: errorData(etcdNotFounded({ cluster: inspection.cluster.name, node: waiting[0] ?? "" })),
    });
  },
};

/** Every control plane is a member, and no alarm is raised. Asked while the API answers. */
export const etcdWhole: Question = {
  id: "etcd-whole",
  title: "Is etcd complete?",
  async ask(inspection) {
    const { all, up, running, unreachable } = await membersOf(inspection);
    if (all.every(({ database, state }) => database === undefined && state === "ours"))
      return unknown("the nodes do not tell");
    const alarm = up.find(({ database }) => (database?.alarms.length ?? 0) > 0);
    if (alarm) return alarmAnswer(inspection, alarm);
    if (unreachable.length > 0)
      return no(`${running} of ${all.length}: ${listed(unreachable)} unreachable`, {
        further: [machinesRun(unreachable), nodesAnswer(unreachable)],
      });
    const lost = all.find((nodeInspection) => !up.includes(nodeInspection));
    if (!lost) return alarmsUnlessMute(up, all.length);
    const complaint = lost.complaints.find(({ part }) => part === "etcd");
    const why = complaint?.why ?? lost.database?.unreachableBecause ?? "it is not a member";
    return notMember(inspection, lost.node, why);
  },
};

function alarmsUnlessMute(up: NodeInspection[], all: number): Answer {
  const mute = up.find(({ database }) => database?.alarmsUnknownBecause !== undefined);
  if (!mute) return yes(`${up.length} of ${all}, no alarm`);
  const why = mute.database?.alarmsUnknownBecause ?? "";
  return unknown(`${up.length} of ${all}; ${mute.node} does not tell of alarms: ${short(why)}`);
}

/** Only a member that was removed has to join again; to wipe one that merely does not start would lose its data. */
function notMember(inspection: Inspection, node: string, why: string): Answer {
  const facts = { cluster: inspection.cluster.name, node, why: short(why, 200) };
  const { registries, rejoinEtcd } = kubernetesOf(inspection).advice;
  const isRemoved = /permanently removed|no member/.test(why);
  return no(`${node}: ${short(why)}`, {
    cause: errorData(
      isRemoved
        ? etcdMemberLost({ ...facts, howToRejoin: rejoinEtcd(node) })
        : etcdNotStarting({ ...facts, registries }),
    ),
  });
}

function alarmAnswer(inspection: Inspection, nodeInspection: NodeInspection): Answer {
  const alarm = nodeInspection.database?.alarms[0] ?? "";
  return no(`alarm ${alarm} on ${nodeInspection.node}`, {
    cause: errorData(
      etcdAlarm({
        ...{ cluster: inspection.cluster.name, node: nodeInspection.node, alarm },
        howToMakeRoom: kubernetesOf(inspection).advice.shrinkEtcd(nodeInspection.node),
      }),
    ),
  });
}
