import type { MachineChange, MachineConfig } from "../../../clients/proxmox/index.ts";
import {
  defineResource,
  same,
  type ReadContext,
  type Resource,
  type StepContext,
} from "../../../plan/index.ts";
import { hiddenMachine } from "../errors.ts";
import { findMachine } from "../machine/machine-config.ts";
import { finishTask } from "../tasks.ts";
import type { HostRegistry } from "../host-registry.ts";
import type { MachineHave, MachineKey, MachineWant } from "../machine/machine-want.ts";
import { isOurImage } from "../mark.ts";
import { recallMachine } from "../survey/own-survey.ts";

export interface IsoWant extends MachineKey {
  /** Where the ISO was put when the machine was made. */
  slot: string;
  volume: string;
  /** The machine as it is to be from then on, with its data disks. */
  machine: MachineWant;
}

export interface IsoHave {
  isDetached: boolean;
}

const changeWait = { deadlineMs: 3 * 60_000, usualMs: 700 };

export interface IsoParts {
  registry: HostRegistry;
  /** Gives the machine what it had to wait for. */
  machine: Pick<Resource<MachineWant, MachineHave>, "read" | "compare" | "update">;
}

/** That a machine which has installed itself starts from its disk alone, and holds its ISO no longer. */
export const isoDetached = ({ registry, machine: whole }: IsoParts) => {
  const stateOf = async (ctx: ReadContext, want: IsoWant) => {
    const found = recallMachine(ctx, want) ?? (await findMachine(ctx, registry, want));
    if (found.state !== "ours") return undefined;
    const { config: now, next } = found.have;
    return { machine: { node: found.have.on, vmid: want.vmid }, state: { now, next: next?.config ?? now } };
  };

  const detach = async (ctx: StepContext, want: IsoWant): Promise<IsoHave> => {
    const found = await stateOf(ctx, want);
    if (!found) throw hiddenMachine({ doing: `detach the ISO from machine ${want.node}`, vmid: want.vmid });
    const { machine } = found;
    const client = await registry.client(want.host);
    for (const change of changes(want, found.state)) {
      const task = await client.changeMachine(machine, change, ctx.signal);
      await finishTask(ctx, task, {
        what: `${machine.node} to detach the ISO from machine ${want.vmid}`,
        ...changeWait,
      });
    }
    const now = await whole.read(ctx, want.machine);
    if (now && !whole.compare(want.machine, now).same) await whole.update(ctx, want.machine, now);
    return { isDetached: true };
  };

  return defineResource<IsoWant, IsoHave>({
    kind: "proxmox/iso-detached",

    async read(ctx, want) {
      const found = await stateOf(ctx, want);
      return found && { isDetached: isDetached(want, found.state.next) };
    },

    compare: (_want, have) =>
      have.isDetached
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "ISO", from: "attached", to: "detached" }],
          },

    create: detach,
    update: detach,

    // It goes with its machine.
    remove: async () => undefined,
  });
};

const bootsFrom = (config: MachineConfig): string[] =>
  (config["boot"] ?? "").replace(/^order=/, "").split(";");

/** Another disc that was put there by hand stays. */
function holdsIso(want: IsoWant, config: MachineConfig): boolean {
  const [volume = ""] = (config[want.slot] ?? "").split(",");
  return volume === want.volume || isOurImage(volume.replace(/^.*iso\//, ""));
}

const isDetached = (want: IsoWant, next: MachineConfig): boolean =>
  !holdsIso(want, next) && !bootsFrom(next).includes(want.slot);

/**
 * A running machine keeps its drives and its boot order until it is switched off, but a disc can be taken out at once.
 * So that comes first: nothing then holds the file.
 */
function changes(want: IsoWant, { now, next }: { now: MachineConfig; next: MachineConfig }): MachineChange[] {
  const eject = { [want.slot]: "none,media=cdrom" } as MachineChange;
  const hasDrive = next[want.slot] !== undefined;
  const isTheirs = hasDrive && !holdsIso(want, next) && !/^none\b/.test(next[want.slot] ?? "");
  const rest: MachineChange = {
    boot: "order=scsi0",
    delete: hasDrive && !isTheirs ? want.slot : undefined,
  };
  return holdsIso(want, now) ? [eject, rest] : [rest];
}
