import { errorData } from "../../../errors/index.ts";
import type { NodeInspection } from "../../../plan/index.ts";
import {
  clockWrong,
  machineDiffers,
  nodeForeign,
  nodeUnreachable,
  nodeUnconfigured,
  systemComplains,
} from "./errors.ts";
import type { Inspection } from "../inspection.ts";
import { no, unknown, yes, type Answer, type Question } from "../question.ts";
import { either, listed, short } from "../text.ts";

/** Whether the systems of these nodes answer, their machines running. */
export const nodesAnswer = (nodes: string[]): Question => ({
  id: "nodes-answer",
  title: either(nodes.length, "Does its system answer?", "Do their systems answer?"),
  async ask(inspection) {
    const nodeInspections = await inspection.nodes();
    const mine = nodes.flatMap((node) => nodeInspections.get(node) ?? []);
    const of = (state: NodeInspection["state"]) =>
      mine.filter((nodeInspection) => nodeInspection.state === state).map(({ node }) => node);
    const [unconfigured, foreign, unreachable] = [of("unconfigured"), of("foreign"), of("unreachable")];
    const cluster = inspection.cluster.name;
    if (foreign.length > 0)
      return no(`${listed(foreign)}: runs with other secrets`, {
        cause: errorData(
          nodeForeign({
            ...{ cluster, nodes: foreign, folder: inspection.secretsFolder },
            file: inspection.kubernetes?.secretsFile ?? "secrets",
          }),
        ),
      });
    if (unreachable.length > 0) return answerForUnreachable(inspection, unreachable, nodeInspections);
    if (unconfigured.length > 0)
      return no(`${listed(unconfigured)}: waits for its first config`, {
        cause: errorData(nodeUnconfigured({ cluster, nodes: unconfigured })),
      });
    return yes(`${mine.length} of ${mine.length}`);
  },
});

async function answerForUnreachable(
  inspection: Inspection,
  unreachable: string[],
  nodeInspections: Map<string, NodeInspection>,
): Promise<Answer> {
  const { cluster } = inspection;
  const machines = await inspection.machines();
  const hosts = [...new Set(machines.filter(({ node }) => unreachable.includes(node)).map(({ on }) => on))];
  const answering = [...nodeInspections.values()]
    .filter(({ state }) => state !== "unreachable")
    .map(({ node }) => node);
  const why = nodeInspections.get(unreachable[0] ?? "")?.unreachableBecause ?? "no answer";
  return no(`${listed(unreachable)}: ${short(why)}`, {
    further: [machineAsWritten(unreachable)],
    cause: errorData(
      nodeUnreachable({
        cluster: cluster.name,
        nodes: unreachable,
        addresses: cluster.nodes
          .filter(({ name }) => unreachable.includes(name))
          .map(({ address }) => address),
        hosts,
        answering,
        reason: why,
        vlan: cluster.network.vlan,
      }),
    ),
  });
}

/** A NIC on the wrong bridge or in the wrong VLAN looks like a machine that is dead. */
const machineAsWritten = (nodes: string[]): Question => ({
  id: "machine-as-written",
  title: either(nodes.length, "Is the machine as written?", "Are the machines as written?"),
  async ask(inspection) {
    for (const node of nodes) {
      const fields = await inspection.deviations(node);
      const [first] = fields;
      if (!first) continue;
      const seen = `${node}: ${first.field} ${first.from}, the file says ${first.to}`;
      return no(seen, {
        cause: errorData(machineDiffers({ cluster: inspection.cluster.name, node, ...first })),
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
  async ask(inspection) {
    const nodeInspections = [...(await inspection.nodes()).values()];
    const known = nodeInspections.filter(({ clockAheadMs }) => clockAheadMs !== undefined);
    const wrong = known.find(({ clockAheadMs = 0 }) => Math.abs(clockAheadMs) > toleratedMs);
    if (!wrong) return clocksUnlessMute(nodeInspections, known.length);
    const aheadMs = wrong.clockAheadMs ?? 0;
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    return no(`${wrong.node} is ${seconds}s ${aheadMs > 0 ? "ahead" : "behind"}`, {
      cause: errorData(
        clockWrong({ cluster: inspection.cluster.name, node: wrong.node, seconds, isAhead: aheadMs > 0 }),
      ),
    });
  },
};

/** A clock that nobody could ask for is not right. */
function clocksUnlessMute(nodeInspections: NodeInspection[], told: number): Answer {
  const mute = nodeInspections.find(({ clockAheadMs }) => clockAheadMs === undefined);
  if (!mute) return yes(`${told} of ${nodeInspections.length} nodes asked`);
  const why = mute.clockUnknownBecause ?? mute.unreachableBecause ?? "it does not tell";
  return unknown(`${told} of ${nodeInspections.length} tell; ${mute.node}: ${short(why)}`);
}

/** What the system of a node says is wrong with itself. */
export const systemsWell: Question = {
  id: "systems-well",
  title: "Are their systems healthy?",
  async ask(inspection) {
    const nodeInspections = [...(await inspection.nodes()).values()];
    const ill = nodeInspections.find(({ complaints }) => complaints.length > 0);
    const [first] = ill?.complaints ?? [];
    const mute = nodeInspections.filter(({ state }) => state !== "ours").map(({ node }) => node);
    if ((!ill || !first) && mute.length > 0) return unknown(`${listed(mute)} cannot be asked`);
    if (!ill || !first) return yes(`${nodeInspections.length} of ${nodeInspections.length}`);
    return no(`${ill.node}: ${first.part} ${short(first.why)}`, {
      cause: errorData(systemComplains({ cluster: inspection.cluster.name, node: ill.node, ...first })),
    });
  },
};
