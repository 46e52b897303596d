import { errorData } from "../../errors/index.ts";
import type { NodeExam } from "../../plan/index.ts";
import {
  clockWrong,
  machineDiffers,
  nodeForeign,
  nodeSilent,
  nodeUnconfigured,
  systemComplains,
} from "./machine-errors.ts";
import type { Patient } from "./patient.ts";
import { no, unknown, yes, type Answer, type Question } from "./question.ts";
import { either, listed, short } from "./words.ts";

/** Whether the systems of these nodes answer, their machines running. */
export const nodesAnswer = (nodes: string[]): Question => ({
  id: "nodes-answer",
  title: either(nodes.length, "Does its system answer?", "Do their systems answer?"),
  async ask(patient) {
    const exams = await patient.nodes();
    const mine = nodes.flatMap((node) => exams.get(node) ?? []);
    const of = (state: NodeExam["state"]) =>
      mine.filter((exam) => exam.state === state).map(({ node }) => node);
    const [unconfigured, foreign, silent] = [of("unconfigured"), of("foreign"), of("silent")];
    const cluster = patient.cluster.name;
    if (foreign.length > 0)
      return no(`${listed(foreign)}: runs with other secrets`, {
        cause: errorData(nodeForeign({ cluster, nodes: foreign, folder: patient.secretsFolder })),
      });
    if (silent.length > 0) return answerForSilent(patient, silent, exams);
    if (unconfigured.length > 0)
      return no(`${listed(unconfigured)}: waits for its first config`, {
        cause: errorData(nodeUnconfigured({ cluster, nodes: unconfigured })),
      });
    return yes(`${mine.length} of ${mine.length}`);
  },
});

async function answerForSilent(
  patient: Patient,
  silent: string[],
  exams: Map<string, NodeExam>,
): Promise<Answer> {
  const { cluster } = patient;
  const machines = await patient.machines();
  const hosts = [...new Set(machines.filter(({ node }) => silent.includes(node)).map(({ on }) => on))];
  const answering = [...exams.values()].filter(({ state }) => state !== "silent").map(({ node }) => node);
  const why = exams.get(silent[0] ?? "")?.silence ?? "no answer";
  return no(`${listed(silent)}: ${short(why)}`, {
    further: [machineAsWritten(silent)],
    cause: errorData(
      nodeSilent({
        cluster: cluster.name,
        nodes: silent,
        addresses: cluster.nodes.filter(({ name }) => silent.includes(name)).map(({ address }) => address),
        hosts,
        answering,
        reason: why,
        vlan: cluster.network.vlan,
      }),
    ),
  });
}

/** A card on the wrong bridge or in the wrong VLAN looks like a machine that is dead. */
const machineAsWritten = (nodes: string[]): Question => ({
  id: "machine-as-written",
  title: either(nodes.length, "Is the VM as written?", "Are the VMs as written?"),
  async ask(patient) {
    for (const node of nodes) {
      const fields = await patient.deviations(node);
      const [first] = fields;
      if (!first) continue;
      const seen = `${node}: ${first.field} ${first.from}, the file says ${first.to}`;
      return no(seen, {
        cause: errorData(machineDiffers({ cluster: patient.cluster.name, node, ...first })),
      });
    }
    return yes(either(nodes.length, "bridge, VLAN and disks too", "bridges, VLANs and disks too"));
  },
});

/** Certificates and etcd need clocks that agree. */
const toleratedMs = 30_000;

export const clocksAgree: Question = {
  id: "clocks-agree",
  title: "Are the clocks right?",
  async ask(patient) {
    const exams = [...(await patient.nodes()).values()];
    const known = exams.filter(({ clockAheadMs }) => clockAheadMs !== undefined);
    const wrong = known.find(({ clockAheadMs = 0 }) => Math.abs(clockAheadMs) > toleratedMs);
    if (!wrong) return clocksUnlessMute(exams, known.length);
    const aheadMs = wrong.clockAheadMs ?? 0;
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    return no(`${wrong.node} is ${seconds}s ${aheadMs > 0 ? "ahead" : "behind"}`, {
      cause: errorData(
        clockWrong({ cluster: patient.cluster.name, node: wrong.node, seconds, isAhead: aheadMs > 0 }),
      ),
    });
  },
};

/** A clock that nobody could ask for is not right. */
function clocksUnlessMute(exams: NodeExam[], told: number): Answer {
  const mute = exams.find(({ clockAheadMs }) => clockAheadMs === undefined);
  if (!mute) return yes(`${told} of ${exams.length} nodes asked`);
  const why = mute.clockSilence ?? mute.silence ?? "it does not tell";
  return unknown(`${told} of ${exams.length} tell; ${mute.node}: ${short(why)}`);
}

/** What the system of a node says is wrong with itself. */
export const systemsWell: Question = {
  id: "systems-well",
  title: "Are their systems well?",
  async ask(patient) {
    const exams = [...(await patient.nodes()).values()];
    const ill = exams.find(({ complaints }) => complaints.length > 0);
    const [first] = ill?.complaints ?? [];
    const mute = exams.filter(({ state }) => state !== "ours").map(({ node }) => node);
    if ((!ill || !first) && mute.length > 0) return unknown(`${listed(mute)} cannot be asked`);
    if (!ill || !first) return yes(`${exams.length} of ${exams.length}`);
    return no(`${ill.node}: ${first.part} ${short(first.why)}`, {
      cause: errorData(systemComplains({ cluster: patient.cluster.name, node: ill.node, ...first })),
    });
  },
};
