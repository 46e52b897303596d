import {
  defineResource,
  same,
  type BareMachineLook,
  type Seen,
  type StepContext,
} from "../../../plan/index.ts";
import { misfits } from "../preflight/misfits.ts";
import type { ListedMachine, MachineRegistry } from "../machine-registry.ts";
import { lookIn } from "../survey/own-survey.ts";
import { machineForeign, machineGone, machineTaken, notAMachine } from "../errors.ts";
import type { MachineKey, MachineWant } from "./machine-want.ts";

export interface MachineHave extends MachineKey {
  isRunning: boolean;
}

/** Firmware, a disk check and the network: metal takes its time. */
const bootWait = { deadlineMs: 15 * 60_000, usualMs: 120_000, everyMs: 2_000 };

/** A machine that is there already: ours when it runs with what our cluster gave it. */
export const existingMachine = (registry: MachineRegistry) => {
  const find = ({ host, node }: MachineKey): ListedMachine => {
    const found = registry.find(host, node);
    if (!found) throw machineGone({ host, node });
    return found;
  };

  const haveOf = (key: MachineKey, look: BareMachineLook | undefined): MachineHave | undefined => {
    const { host, cluster, node, losesData } = key;
    const have = { host, cluster, node, losesData };
    if (look?.state === "ours") return look.cluster === cluster ? { ...have, isRunning: true } : undefined;
    return undefined;
  };

  return defineResource<MachineWant | MachineKey, MachineHave>({
    kind: "existing/machine",

    async read(ctx, want) {
      const seen = lookIn(ctx.seen, want.host, want.node);
      if (seen?.isPresumed && seen.cluster === want.cluster)
        return { host: want.host, cluster: want.cluster, node: want.node, isRunning: false };
      return haveOf(want, seen?.look ?? (await registry.look(find(want), ctx.signal)));
    },

    compare: (_want, { isRunning }) =>
      isRunning
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "power", from: "unreachable", to: "running" }],
          },

    create: (ctx, want) => bringUp(registry, ctx, find(want), want as MachineWant),
    update: (ctx, want) => bringUp(registry, ctx, find(want), want as MachineWant),

    async remove(ctx, have) {
      const listed = find(have);
      // One whose answer to a reset was lost starts again just now.
      const look = await untilAnswered(registry, ctx, listed);
      if (look.state === "free") return;
      const owner = look.state === "ours" ? clusterOf(registry, look.cluster) : undefined;
      if (!owner || owner.name !== have.cluster || look.state !== "ours")
        throw machineForeign({ ...have, ...listed.machine, why: "why" in look ? look.why : "" });
      const dataDisks = (look.hardware.disks ?? []).filter((disk) => !disk.isSystem && !disk.isBootMedium);
      await registry.bareMachines(owner)?.release(ctx, listed.machine, {
        cluster: owner,
        losesData: have.losesData === true,
        dataDisks: dataDisks.map(({ path }) => path),
      });
    },

    out: ({ host }) => ({ host }),
  });
};

const clusterOf = ({ clusters }: MachineRegistry, name: string) =>
  clusters.find((each) => each.name === name);

/** Until it answers as what it should be. What does not fit is told, and nothing is done to it. */
async function bringUp(
  registry: MachineRegistry,
  ctx: StepContext,
  listed: ListedMachine,
  want: MachineWant,
): Promise<MachineHave> {
  const { machine } = listed;
  const facts = { ...want, address: machine.address, at: machine.at };
  const look = await untilAnswered(registry, ctx, listed);
  if (look.state === "other") throw notAMachine({ ...facts, why: look.why });
  if (look.state === "foreign") throw machineForeign({ ...facts, why: look.why });
  if (look.state === "ours" && look.cluster !== want.cluster)
    throw machineTaken({ ...facts, owner: look.cluster });
  if (look.state === "free") {
    const [misfit] = misfits(listed.machine, look, want.cluster);
    if (misfit) throw misfit;
    const owner = clusterOf(registry, want.cluster);
    if (owner) await registry.bareMachines(owner)?.take?.(ctx, machine, owner);
  }
  return { host: want.host, cluster: want.cluster, node: want.node, isRunning: true };
}

type Answered = Exclude<BareMachineLook, { state: "unreachable" }>;

async function untilAnswered(
  registry: MachineRegistry,
  ctx: StepContext,
  listed: ListedMachine,
): Promise<Answered> {
  const first = await registry.look(listed, ctx.signal);
  if (first.state !== "unreachable") return first;
  const { name, address } = listed.machine;
  const power = registry.power(listed);
  if (power) {
    ctx.log("info", `${name} does not answer and is switched on by ${power.by}`);
    await power.switchOn(ctx);
  }
  return ctx.waitFor(
    {
      what: `${name} to answer at ${address}`,
      probe: "tls",
      ...bootWait,
      next: power
        ? `See on its screen what it waits for, then run "slipway up" again`
        : `Switch ${name} on: nothing in the file says how Slipway could. Then run "slipway up" again`,
    },
    async (signal): Promise<Seen<Answered>> => {
      const look = await registry.look(listed, signal);
      return look.state === "unreachable" ? { done: false, seen: look.why } : { done: true, value: look };
    },
  );
}
