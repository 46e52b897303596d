import type { BareMachineLook, MachineHardware, OwnSurvey } from "../../../plan/index.ts";

const kind = "existing";

/** A machine as it was found. */
export interface SeenMachine {
  look: BareMachineLook;
  /** Which cluster it is ours for. */
  cluster?: string;
  /** It does not answer, and the cluster that has chosen it runs: it counts as one of its machines that is off. */
  isPresumed?: true;
}

/** By host and name; plain data that travels with the survey. */
export type SeenMachines = Record<string, SeenMachine>;

export const asOwn = (seen: SeenMachines): OwnSurvey => ({ [kind]: seen });

export const keyOf = (host: string, machine: string): string => `${host}/${machine}`;

export const lookIn = (own: OwnSurvey | undefined, host: string, machine: string): SeenMachine | undefined =>
  (own?.[kind] as SeenMachines | undefined)?.[keyOf(host, machine)];

export function hardwareIn(
  own: OwnSurvey | undefined,
  host: string,
  machine: string,
): MachineHardware | undefined {
  const look = lookIn(own, host, machine)?.look;
  return look && "hardware" in look ? look.hardware : undefined;
}
