import { errorData } from "../../errors/index.ts";
import type { NodeExam } from "../../plan/index.ts";
import {
  etcdAlarm,
  etcdMemberLost,
  etcdNoQuorum,
  etcdNotFounded,
  etcdNotStarting,
} from "./control-plane-errors.ts";
import { machinesRun } from "./machines.ts";
import { nodesAnswer } from "./nodes.ts";
import type { Patient } from "./patient.ts";
import { no, unknown, yes, type Answer, type Question } from "./question.ts";
import { listed, short } from "./words.ts";

interface Members {
  all: NodeExam[];
  /** Those whose etcd answers. */
  up: NodeExam[];
  /** Members that run, whether or not they can agree on anything. */
  running: number;
  /** Control planes that say nothing at all. */
  silent: string[];
}

async function membersOf(patient: Patient): Promise<Members> {
  const exams = await patient.nodes();
  const controlPlanes = patient.cluster.nodes.filter(({ role }) => role === "control-plane");
  const all = controlPlanes.flatMap(({ name }) => exams.get(name) ?? []);
  const up = all.filter(({ database }) => (database?.members.length ?? 0) > 0);
  const silent = all.filter(({ state }) => state !== "ours").map(({ node }) => node);
  const running = all.filter(({ state, database }) => state === "ours" && !database?.isWaiting).length;
  return { all, up, running, silent };
}

/** More than half of the members must agree before anything is written. Asked while the API does not answer. */
export const etcdQuorum: Question = {
  id: "etcd-quorum",
  title: "Has etcd quorum?",
  async ask(patient) {
    const { all, up, running, silent } = await membersOf(patient);
    const alarm = up.find(({ database }) => (database?.alarms.length ?? 0) > 0);
    if (alarm) return alarmAnswer(patient, alarm);
    if (up.length * 2 > all.length) return yes(`${up.length} of ${all.length}`);
    const seen = `${running} of ${all.length}${silent.length > 0 ? `: ${listed(silent)} silent` : ""}`;
    if (silent.length > 0)
      return no(seen, {
        further: [machinesRun(silent), nodesAnswer(silent)],
        cause: errorData(etcdNoQuorum({ cluster: patient.cluster.name, up: running, all: all.length })),
      });
    return no(seen, {
      further: [etcdFounded],
      cause: errorData(etcdNoQuorum({ cluster: patient.cluster.name, up: running, all: all.length })),
    });
  },
};

/** All control planes answer, and etcd on them waits for the one call that founds it. */
const etcdFounded: Question = {
  id: "etcd-founded",
  title: "Was etcd ever founded?",
  async ask(patient) {
    const { all } = await membersOf(patient);
    const waiting = all.filter(({ database }) => database?.isWaiting).map(({ node }) => node);
    const why = all.find(({ database }) => database?.silence !== undefined)?.database?.silence ?? "";
    const stuck = all.find(({ complaints }) => complaints.some(({ part }) => part === "etcd"));
    const trouble = stuck?.complaints.find(({ part }) => part === "etcd")?.why;
    if (stuck && trouble !== undefined) return notMember(patient, stuck.node, trouble);
    if (waiting.length < all.length) return yes(short(why) || "it has run before");
    return no(`etcd waits on ${listed(waiting)}`, {
      cause: errorData(etcdNotFounded({ cluster: patient.cluster.name, node: waiting[0] ?? "" })),
    });
  },
};

/** Every control plane is a member, and no alarm is raised. Asked while the API answers. */
export const etcdWhole: Question = {
  id: "etcd-whole",
  title: "Is etcd whole?",
  async ask(patient) {
    const { all, up, running, silent } = await membersOf(patient);
    if (all.every(({ database, state }) => database === undefined && state === "ours"))
      return unknown("the nodes do not tell");
    const alarm = up.find(({ database }) => (database?.alarms.length ?? 0) > 0);
    if (alarm) return alarmAnswer(patient, alarm);
    if (silent.length > 0)
      return no(`${running} of ${all.length}: ${listed(silent)} silent`, {
        further: [machinesRun(silent), nodesAnswer(silent)],
      });
    const lost = all.find((exam) => !up.includes(exam));
    if (!lost) return alarmsUnlessMute(up, all.length);
    const complaint = lost.complaints.find(({ part }) => part === "etcd");
    const why = complaint?.why ?? lost.database?.silence ?? "it is no member";
    return notMember(patient, lost.node, why);
  },
};

function alarmsUnlessMute(up: NodeExam[], all: number): Answer {
  const mute = up.find(({ database }) => database?.alarmSilence !== undefined);
  if (!mute) return yes(`${up.length} of ${all}, no alarm`);
  const why = mute.database?.alarmSilence ?? "";
  return unknown(`${up.length} of ${all}; ${mute.node} does not tell of alarms: ${short(why)}`);
}

/** Only a member that was removed has to join anew; to wipe one that merely does not start would lose its data. */
function notMember(patient: Patient, node: string, why: string): Answer {
  const facts = { cluster: patient.cluster.name, node, why: short(why, 200) };
  const isRemoved = /permanently removed|no member/.test(why);
  return no(`${node}: ${short(why)}`, {
    cause: errorData(isRemoved ? etcdMemberLost(facts) : etcdNotStarting(facts)),
  });
}

function alarmAnswer(patient: Patient, exam: NodeExam): Answer {
  const alarm = exam.database?.alarms[0] ?? "";
  return no(`alarm ${alarm} on ${exam.node}`, {
    cause: errorData(etcdAlarm({ cluster: patient.cluster.name, node: exam.node, alarm })),
  });
}
