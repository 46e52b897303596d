import type { BareMachines, Provider, ProviderFamily } from "../../plan/index.ts";
import type { Dial } from "../../lib/index.ts";
import type { Cluster, ExistingHost } from "../../spec/index.ts";
import { describeLeftovers, silentBlockers } from "./leftovers.ts";
import { describeMachines } from "./machine/describe-machines.ts";
import { existingMachine } from "./machine/machine.ts";
import type { PowerTools } from "./machine/power.ts";
import { machineRegistry } from "./machine-registry.ts";
import { preflightChecks } from "./preflight/index.ts";
import { inspectMachines, surveyMachines } from "./survey/survey.ts";

export interface ExistingProviderOptions {
  /** All of the file: any of them may have a machine. */
  clusters: readonly Cluster[];
  /** How the distribution of a cluster knows machines. */
  bareMachines(cluster: Cluster): BareMachines | undefined;
  power: PowerTools;
  /** How the addresses of a cluster are reached. Left out: they are not probed for being in use. */
  dialFor?: (cluster: string) => Dial;
}

/** Machines that exist as a provider. */
export const existingProvider = (options: ExistingProviderOptions): ProviderFamily<ExistingHost> => ({
  kind: "existing",
  open: (hosts) => openExisting(hosts, options),
});

function openExisting(
  hosts: readonly ExistingHost[],
  { clusters, bareMachines, power, dialFor }: ExistingProviderOptions,
): Provider<ExistingHost> {
  const registry = machineRegistry(hosts, { clusters, bareMachines, power });
  return {
    resources: [existingMachine(registry)],
    survey: (ctx, some) => surveyMachines(ctx, registry, some),
    describe: (cluster, placed, { survey }) => describeMachines(registry, cluster, placed, survey),
    describeLeftovers: (survey, isUnwanted, _images, removalScope = { losesData: false, clusters: [] }) =>
      describeLeftovers(survey, isUnwanted, removalScope),
    removalBlockers: async (_ctx, machines) => silentBlockers(machines),
    inspect: (ctx, machines) => inspectMachines(ctx, registry, machines),
    // What is left on a machine is its system, which is what it is left with.
    findLeftovers: async () => [],
    imagesOf: () => [],
    preflight: (cluster, placed, survey) => preflightChecks(registry, { cluster, placed, survey }, dialFor),
  };
}
