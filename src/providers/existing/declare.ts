import type { BareMachines, Discovery, Provider, ProviderFamily } from "../../plan/index.ts";
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

const listed = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== "");
const isAddress = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text.split(".").every((part) => Number(part) < 256);

/** Machines that exist and that no file names yet. Their distribution looks at them, once it is chosen. */
export const existingDiscovery: Discovery = {
  kind: "existing" satisfies ExistingHost["provider"],
  label: "machines that exist already: bare metal, mini PCs",
  async discover(asking) {
    const answer = await asking.ask({
      key: "machines",
      text: "Their addresses, control planes first",
      refuse(given) {
        const wrong = listed(given).find((each) => !isAddress(each));
        if (wrong !== undefined) return `holds "${wrong}", which is not an IPv4 address`;
        return listed(given).length === 0 ? "holds no address" : undefined;
      },
    });
    const machines = [...new Set(listed(answer))].map((address, index) => ({
      address,
      name: `machine-${index + 1}`,
    }));
    return {
      hosts: [{ name: "rack", lines: [], cores: 0, memoryFreeMiB: 0, diskFreeGiB: 0 }],
      networks: [],
      taken: [],
      machines,
      close: () => undefined,
    };
  },
};
