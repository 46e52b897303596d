import {
  machineNode,
  type BareMachineLook,
  type Graph,
  type GraphNode,
  type MachineHardware,
  type PlacedNode,
  type Survey,
} from "../../../plan/index.ts";
import type { Cluster, ExistingHost } from "../../../spec/index.ts";
import type { MachineRegistry } from "../machine-registry.ts";
import { hardwareIn, lookIn } from "../survey/own-survey.ts";
import type { MachineWant } from "./machine-want.ts";
import { byHand } from "./power.ts";

/** One that answers is taken at once; one that is off starts first. */
const usualTakeMs = 1_000;
const usualStartMs = 120_000;

export const describeMachines = (
  registry: MachineRegistry,
  cluster: Cluster,
  placed: PlacedNode<ExistingHost>[],
  survey: Survey,
): Graph => placed.map((each) => describeMachine(registry, cluster, each, survey));

function describeMachine(
  registry: MachineRegistry,
  cluster: Cluster,
  placed: PlacedNode<ExistingHost>,
  survey: Survey,
): GraphNode<MachineWant> {
  const { node, host } = placed;
  const listed = registry.find(host.name, node.name);
  const disk = node.machine?.disk ?? "/dev/sda";
  const hardware = hardwareIn(survey.own, host.name, node.name);
  const { facts = {}, ...step } = machineNode(cluster, placed, {
    kind: "existing/machine",
    want: { host: host.name, cluster: cluster.name, node: node.name, role: node.role, address: node.address },
    after: [],
    usualMs: hardware ? usualTakeMs : usualStartMs,
  });
  return {
    ...step,
    title: `Take machine ${node.name}`,
    facts: {
      address: facts["address"],
      ...(hardware && sizes(hardware, disk)),
      erases: isInstalledAnew(lookIn(survey.own, host.name, node.name)?.look) ? disk : undefined,
      power: powerText(listed && registry.power(listed)?.by),
    },
  };
}

function sizes(
  { cores, memoryMiB, disks = [] }: MachineHardware,
  disk: string,
): Record<string, number | undefined> {
  const system = disks.find(({ path, isSystem }) => isSystem ?? path === disk);
  return {
    cores,
    memoryMiB,
    diskGiB: system?.sizeGiB,
  };
}

const powerText = (by: string | undefined): string => (by === undefined ? byHand : `by ${by}`);

/** Of one that is off nobody knows; it may be empty. */
const isInstalledAnew = (look: BareMachineLook | undefined): boolean =>
  look === undefined ||
  look.state === "unreachable" ||
  (look.state === "free" && !look.needsNoDisk && !look.hardware.disks?.some(({ isSystem }) => isSystem));
