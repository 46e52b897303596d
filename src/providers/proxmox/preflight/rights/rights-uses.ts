import { machineOf, type ReadContext } from "../../../../plan/index.ts";
import { deviations } from "../../machine/compare-machine.ts";
import { machineWant } from "../../machine/describe-machines.ts";
import type { MachineHave, MachineWant } from "../../machine/machine-want.ts";
import { readDisk } from "../../disks/machine-disks.ts";
import { properties } from "../../property-text.ts";
import type { HostView } from "../host-view.ts";

/** What a run does on a host, as far as rights depend on it. */
export interface Uses {
  /** Some machine is yet to be made, or made again. */
  makesMachines: boolean;
  /** A machine that exists gets another seed drive. */
  setsSeed: boolean;
  /** Tags that machines get or lose. */
  tags: string[];
  /** Networks that a template that is not ours is on: a clone begins there, whatever the file says. */
  bridges: string[];
  /** Storages on which disks are destroyed. */
  destroysOn: string[];
  /** High availability is switched off. */
  endsHa: boolean;
}

/** For a file whose next runs are not known yet. */
export const everyUse: Uses = {
  makesMachines: true,
  setsSeed: true,
  tags: [],
  bridges: [],
  destroysOn: [],
  endsHa: false,
};

/** What the next run does, by what is there already; found out once, however many checks ask. */
export function usesHere(view: HostView): (ctx: ReadContext) => Promise<Uses> {
  let known: Promise<Uses> | undefined;
  return (ctx) => (known ??= usesOf(ctx, view));
}

async function usesOf(ctx: ReadContext, view: HostView): Promise<Uses> {
  const { cluster, survey, placed } = view;
  const endsHa =
    !cluster.isHighlyAvailable &&
    survey.machines.some((machine) => machine.cluster === cluster.name && machine.isHaManaged === true);
  if (view.isUndecided) return { ...everyUse, endsHa };
  const changes = await Promise.all(
    placed.map(async (each) => {
      const machine = machineOf(view, each.node.name);
      const have = machine && (await view.found(ctx, machine));
      const want = machineWant(cluster, each, have?.image ?? "");
      if (!have || have.mark.isBare) return { want, isMade: true, found: [], have };
      const found = deviations(want, have);
      return { want, isMade: found.some((deviation) => deviation.isReplaced), found, have };
    }),
  );
  const makesMachines = changes.some((change) => change.isMade);
  const set = changes.flatMap(({ found }) => found.flatMap((each) => Object.entries(each.set ?? {})));
  return {
    makesMachines,
    bridges: makesMachines ? await bridgesOfTemplate(ctx, view) : [],
    setsSeed: set.some(([, value]) => String(value).endsWith(":cloudinit")),
    tags: [
      ...new Set(
        changes.flatMap(({ isMade, want, have }) => otherTags(want, isMade ? [] : (have?.tags ?? []))),
      ),
    ],
    destroysOn: changes.flatMap(({ found, have }) =>
      have ? found.flatMap((each) => each.destroys ?? []).map((slot) => storageOf(have, slot)) : [],
    ),
    endsHa,
  };
}

async function bridgesOfTemplate(ctx: ReadContext, view: HostView): Promise<string[]> {
  const { bootSource } = view.cluster;
  if (bootSource.kind !== "existing") return [];
  const client = await view.client();
  const on = (await client.guests(ctx.signal)).find((guest) => guest.vmid === bootSource.vmid)?.node;
  // Its own check says that it is missing, or hidden.
  if (on === undefined) return [];
  const config = await client.machineConfig({ node: on, vmid: bootSource.vmid }, ctx.signal);
  const nics = Object.keys(config).filter((key) => /^net\d+$/.test(key));
  return nics.flatMap((key) => properties(config[key] ?? "").get("bridge") ?? []);
}

const otherTags = ({ tags }: MachineWant, have: string[]): string[] => [
  ...tags.filter((tag) => !have.includes(tag)),
  ...have.filter((tag) => !tags.includes(tag)),
];

const storageOf = ({ config }: MachineHave, slot: string): string => readDisk(config, slot)?.storage ?? "";
