import type { SlipwayError } from "../../errors/index.ts";
import {
  coresFinding,
  gibOfMiB,
  memoryFinding,
  type Check,
  type Finding,
  type HostFacts,
  type HostView,
} from "../../plan/index.ts";
import type { Host } from "../../spec/index.ts";
import type { MakeCheck } from "./host-checks.ts";

export interface MemoryShort {
  host: Host;
  neededMiB: number;
  freeMiB: number;
  total: string;
}

export interface CoresPromised {
  host: Host;
  needed: number;
  free: number;
  total: string;
}

/** What a hypervisor calls these checks, and how it says what is short. */
interface CapacityOptions<View extends HostView> {
  memoryCheck: string;
  coresCheck: string;
  /** The check that tells why nothing is known of a host that answers. */
  factsCheck: string;
  placedCheck: MakeCheck<View>;
  memoryShort(f: MemoryShort): SlipwayError;
  coresPromised(f: CoresPromised): SlipwayError;
  /** Why one of the nodes could not start there, whatever may be promised in all. */
  coresRefusal?(view: View, facts: HostFacts): SlipwayError | undefined;
}

/** What all clusters of the run want of a host beyond what their machines already have. */
export const capacityChecks =
  <View extends HostView>(options: CapacityOptions<View>) =>
  (view: View): Check[] => {
    const { placedCheck, factsCheck, memoryShort, coresPromised, coresRefusal } = options;
    const { host } = view;
    const known = (look: (facts: HostFacts) => Finding) => async (): Promise<Finding> =>
      view.facts ? look(view.facts) : { status: "skipped", because: factsCheck };
    return [
      placedCheck(
        view,
        options.memoryCheck,
        ["Memory is enough", "Memory is too small"],
        known((facts) =>
          memoryFinding({ host, facts, nodes: view.nodesHere }, (short) => memoryShort({ host, ...short })),
        ),
      ),
      placedCheck(
        view,
        options.coresCheck,
        ["Cores are enough", "Cores are too few"],
        known((facts) =>
          coresFinding(
            { host, facts, nodes: view.nodesHere },
            (short) => coresPromised({ host, ...short }),
            coresRefusal?.(view, facts),
          ),
        ),
      ),
    ];
  };

const onHost = (host: Host) => ({ at: host.at, shared: host.name });

export const memoryShortText = ({ host, neededMiB, freeMiB, total }: MemoryShort) => ({
  what: `Cannot fit the machines into the memory of "${host.name}"`,
  why: `needs ${gibOfMiB(neededMiB)}, ${gibOfMiB(freeMiB)} free of ${total}`,
  next: `Free ${gibOfMiB(neededMiB - freeMiB)} on "${host.name}", give the nodes less memory, or add a host`,
  else: `Assign more than there is: overcommit: { memory: 1.5 } of host "${host.name}"`,
  ...onHost(host),
});

export const coresPromisedText = ({ host, needed, free, total }: CoresPromised) => ({
  what: `Cannot assign so many cores on "${host.name}"`,
  why: `needs ${needed}, ${free} free of ${total}`,
  next: `Give the nodes fewer cores, add a host, or raise overcommit: { cores: … } of host "${host.name}"`,
  ...onHost(host),
});
