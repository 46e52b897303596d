import { errorData } from "../../../errors/index.ts";
import { nodeTwice, type OwnedMachine } from "../../../plan/index.ts";
import { hostsOfMachines } from "./hosts.ts";
import { machineMissing, notMadeYet } from "./errors.ts";
import type { Inspection } from "../inspection.ts";
import { names, no, yes, type Answer, type Question } from "../question.ts";
import { either, listed } from "../text.ts";

/** Whether the machines of these nodes exist and run; if not, who stopped them, or what keeps them from being made. */
export const machinesRun = (nodes: string[]): Question => ({
  id: "machines-run",
  title: either(nodes.length, "Does its machine run?", "Do their machines run?"),
  async ask(inspection) {
    const machines = await inspection.machines();
    const mine = machines.filter(({ node }) => nodes.includes(node));
    const missing = nodes.filter((node) => !mine.some((machine) => machine.node === node));
    const stopped = mine.filter(({ isRunning }) => !isRunning);
    if (missing.length > 0) return answerForMissing(inspection, missing, machines.length);
    const twins = mine.filter(({ node }) => mine.filter((each) => each.node === node).length > 1);
    const [twin] = twins;
    // Starting the one that is off is the last thing to do.
    if (twin) {
      const own = twins.filter(({ node }) => node === twin.node);
      const cause = nodeTwice({ cluster: inspection.cluster.name, node: twin.node, machines: own });
      return no(`${twin.node} has ${own.length} machines`, { cause: errorData(cause) });
    }
    if (stopped.length > 0) return no(stoppedText(stopped, nodes.length), { further: [whoStopped(stopped)] });
    return frozenOr(inspection, mine);
  },
});

async function answerForMissing(inspection: Inspection, missing: string[], all: number): Promise<Answer> {
  const { cluster } = inspection;
  const { unreachable } = await inspection.survey();
  if (unreachable.length > 0)
    return no(`cannot be seen: ${listed(unreachable.map(({ host }) => host))} unreachable`, {
      further: [hostsOfMachines(unreachable)],
    });
  const cause =
    all === 0 ? notMadeYet(cluster.name) : machineMissing({ cluster: cluster.name, nodes: missing });
  return no(
    all === 0 ? `no machine of ${cluster.name} exists` : `no machine carries the mark of ${listed(missing)}`,
    {
      further: [whatIsInTheWay],
      cause: errorData(cause),
    },
  );
}

/** A machine may have power and stand still all the same. */
async function frozenOr(inspection: Inspection, machines: OwnedMachine[]): Promise<Answer> {
  const nodeInspections = await inspection.inspectMachines(machines);
  const frozen = nodeInspections.find(({ error }) => error !== undefined);
  if (!frozen?.error) return yes(`${machines.length} of ${machines.length}`);
  return no(`${frozen.machine.node}: ${frozen.evidence}`, { cause: frozen.error });
}

function stoppedText(stopped: OwnedMachine[], all: number): string {
  const hosts = [...new Set(stopped.map(({ on }) => on))];
  const who = stopped.length === all && all === 2 ? "both" : listed(stopped.map(({ node }) => node));
  return `${who} stopped, ${either(hosts.length, "on", "on")} ${listed(hosts)}`;
}

const whoStopped = (machines: OwnedMachine[]): Question => ({
  id: "who-stopped",
  title: either(machines.length, "Who stopped it?", "Who stopped them?"),
  async ask(inspection) {
    const nodeInspections = await inspection.inspectMachines(machines);
    const told = nodeInspections.find(({ error }) => error !== undefined) ?? nodeInspections[0];
    if (!told) return no("unknown");
    return names(told.stoppedBy ?? "?", told.evidence, told.error && { cause: told.error });
  },
});

/** The preflight of what is missing: a host, a storage, an image, a number, memory, a bridge, a right. */
export const whatIsInTheWay: Question = {
  id: "what-is-in-the-way",
  title: "Can it be created?",
  async ask(inspection) {
    const [first, ...more] = await inspection.obstacles();
    if (!first) return yes("preflight finds no problem");
    const rest = more.length > 0 ? `; ${more.length} more` : "";
    return no(`${first.what.replace(/^C/, "c")}${rest}`, { cause: first });
  },
};
