import type { MachineRef, NewMachine, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import { defineResource, rollingRestart, type RollingGates, type StepContext } from "../../../plan/index.ts";
import { waitTurn, type AllocationQueue } from "../disks/allocation-queue.ts";
import { changeMachine } from "./change-machine.ts";
import { compareMachine, needsStop } from "./compare-machine.ts";
import { createMachine, importWait, finishTask, powerOn } from "../tasks.ts";
import { foreignMachine, hiddenMachine, stuckMachine } from "../errors.ts";
import { findMachine, type Found, type KnownPower, newMachine } from "./machine-config.ts";
import { giveDisksBack, withoutDataDisks } from "../disks/give-disks-back.ts";
import type { KeptDisksParts } from "../disks/kept-disks.ts";
import type { MachineHave, MachineKey, MachineWant } from "./machine-want.ts";
import { bootedFromIso, isInstalling } from "../image/from-iso.ts";
import { cloneTemplate, finishClone, waitForClone } from "../template/clone.ts";
import { restoreMachine, settleRestored } from "../backup/restore-machine.ts";
import { removeMachine } from "./remove-machine.ts";
import { recallMachine } from "../survey/own-survey.ts";
import type { JustMade } from "./just-made.ts";

export interface MachineParts extends KeptDisksParts {
  /** The public key that Slipway logs in with, asked before a machine is made. */
  loginKey?: ((cluster: string, node: string) => Promise<string>) | undefined;
  made: JustMade;
  queue: AllocationQueue;
  gates?: RollingGates | undefined;
}

// Copies run side by side; more of them at once only slow each other down.
const importsAtOnce = 32;

/** A virtual machine, found again by its VMID and the mark in its description. */
export const proxmoxMachine = (parts: MachineParts) =>
  defineResource<MachineWant, MachineHave>({
    kind: "proxmox/machine",

    async read(ctx, want) {
      const found = recallMachine(ctx, want) ?? (await findMachine(ctx, parts.registry, want));
      if (found.state === "foreign")
        throw foreignMachine({
          doing: `use machine ${want.node}`,
          ...want,
          node: found.on,
          owner: found.owner,
        });
      return found.state === "ours" ? asWanted(want, found.have) : undefined;
    },

    compare: compareMachine,

    async create(ctx, want) {
      parts.made.forget(want);
      const client = await parts.registry.client(want.host);
      const made = await ctx.holding(storageLock(want), importsAtOnce, async () => {
        await waitTurn(ctx, parts.queue, want);
        return make(ctx, parts, client, want);
      });
      const have = await ours(ctx, parts, want, `create machine ${want.node}`, made);
      return complete(ctx, parts, client, want, have);
    },

    async update(ctx, want) {
      parts.made.forget(want);
      const client = await parts.registry.client(want.host);
      const have = await ours(ctx, parts, want, `change machine ${want.node}`);
      const work = () => complete(ctx, parts, client, want, have);
      if (!have.isRunning || !needsStop(want, have)) return work();
      return rollingRestart(ctx, { ...want, drains: true }, parts.gates, work);
    },

    async remove(ctx, have) {
      parts.made.forget(have);
      const client = await parts.registry.client(have.host);
      const found = await settled(ctx, parts, client, have, `remove machine ${have.node}`);
      if (found.state === "absent") return;
      await removeMachine(ctx, parts, client, asWanted(have, found.have));
    },

    out: (have) => ({ vmid: have.vmid, host: have.host }),
  });

/** The machine as it is, with what was said about its removal. */
const asWanted = ({ losesData, reservedVmids }: MachineKey, have: MachineHave): MachineHave => ({
  ...have,
  losesData,
  reservedVmids,
});

const storageLock = (want: MachineWant): string => `${want.host}/${want.storage}`;

/** Brings a machine with the mark into being, and tells whether it runs if it did. One that exists by then is looked at afterwards. */
async function make(
  ctx: StepContext,
  parts: MachineParts,
  client: ProxmoxClient,
  want: MachineWant,
): Promise<KnownPower | undefined> {
  const { node } = parts.registry.host(want.host).proxmox;
  if (want.from?.kind === "clone") {
    await cloneTemplate(ctx, { client, node, slipway: parts.slipway }, want, want.from);
    return undefined;
  }
  if (want.from?.kind === "archive") {
    const site = { client, node, slipway: parts.slipway };
    const isRestored = await restoreMachine(ctx, site, want, want.from);
    return isRestored ? { isRunning: false } : undefined;
  }
  const plain = await plainMachine(parts, want);
  const machine = want.from ? bootedFromIso(plain, want, want.from) : plain;
  const isOurs = await createMachine(ctx, client, node, machine, "machine");
  return isOurs ? { isRunning: false } : undefined;
}

/** Disks may be waiting for this node, and those come before new ones; none comes before an installation. */
async function plainMachine(parts: MachineParts, want: MachineWant): Promise<NewMachine> {
  const whole = { ...newMachine(want, parts.slipway), ...(await firstSettings(parts, want)) };
  return want.mayHaveKeptDisks || want.from?.kind === "iso" ? withoutDataDisks(whole) : whole;
}

/** What a cloud image is told at its first start beside its addresses. */
async function firstSettings(
  parts: MachineParts,
  { cluster, node, login, searchDomains }: MachineWant,
): Promise<Pick<NewMachine, "ciuser" | "sshkeys" | "searchdomain" | "ciupgrade">> {
  if (!login) return {};
  const own = await parts.loginKey?.(cluster, node);
  const keys = [...login.keys, ...(own === undefined ? [] : [own])];
  return {
    ciuser: login.user,
    // Proxmox wants them encoded once more than a form is anyway.
    sshkeys: encodeURIComponent(keys.map((key) => `${key.trim()}\n`).join("")),
    // It would let every machine fetch all updates of its system before anything else.
    ciupgrade: false,
    searchdomain: searchDomains && searchDomains.join(" "),
  };
}

/** From "it exists" to "it is as wanted and runs". Each part is left out when an earlier run has done it. */
async function complete(
  ctx: StepContext,
  parts: MachineParts,
  client: ProxmoxClient,
  want: MachineWant,
  have: MachineHave,
): Promise<MachineHave> {
  const machine: MachineRef = { node: have.on, vmid: have.vmid };
  const doing = `finish machine ${want.node}`;
  if (have.mark.isRestored) {
    await settleRestored(ctx, parts, client, want, have);
    return complete(ctx, parts, client, want, await ours(ctx, parts, want, doing));
  }
  if (have.mark.isBare) await finishClone(ctx, client, machine, await plainMachine(parts, want));
  const isRefilled = !isInstalling(want, have.config) && (await giveDisksBack(ctx, parts, want, have));
  const isOther = have.mark.isBare || isRefilled;
  const now = isOther ? await ours(ctx, parts, want, doing) : have;
  const isRunning = await changeMachine(ctx, client, machine, want, now);
  if (!isRunning) await powerOn(ctx, client, machine);
  const known = isRunning ? undefined : { isRunning: true };
  const finished = await ours(ctx, parts, want, doing, known);
  parts.made.add(finished, ctx.clock.now());
  return finished;
}

/** The machine, which by now must exist and be ours. */
async function ours(
  ctx: StepContext,
  parts: MachineParts,
  want: MachineWant,
  doing: string,
  known?: KnownPower,
): Promise<MachineHave> {
  const client = await parts.registry.client(want.host);
  const found = await settled(ctx, parts, client, want, doing, known);
  if (found.state === "absent") throw hiddenMachine({ doing, vmid: want.vmid });
  return found.have;
}

const makingTasks = new Set(["qmcreate", "qmrestore"]);

/** Waits out a creation that an earlier run has started, and refuses what is not ours. */
async function settled(
  ctx: StepContext,
  parts: MachineParts,
  client: ProxmoxClient,
  key: MachineKey,
  doing: string,
  known?: KnownPower,
): Promise<Extract<Found, { state: "absent" | "ours" }>> {
  const found = await findMachine(ctx, parts.registry, key, known);
  if (found.state === "foreign")
    throw foreignMachine({ doing, vmid: key.vmid, node: found.on, owner: found.owner });
  if (found.state !== "making") return found;
  const tasks = await client.runningTasks(found.on, ctx.signal);
  const task = tasks.find(({ type, id }) => makingTasks.has(type) && id === String(key.vmid));
  const what = `${found.on} to finish creating machine ${key.vmid}`;
  if (task) await finishTask(ctx, client.task(task.upid, doing), { what, ...importWait });
  else await waitForClone(ctx, client, { node: found.on, vmid: key.vmid }, { what, ...importWait });
  const now = await findMachine(ctx, parts.registry, key);
  if (now.state === "making") throw stuckMachine({ doing, vmid: key.vmid, node: now.on });
  if (now.state === "foreign")
    throw foreignMachine({ doing, vmid: key.vmid, node: now.on, owner: now.owner });
  return now;
}
