import type { LibvirtClient } from "../../../clients/libvirt/index.ts";
import {
  defineResource,
  needsOff,
  rollingRestart,
  type RollingGates,
  type StepContext,
} from "../../../plan/index.ts";
import { changeMachine } from "./change-machine.ts";
import { compareMachine, deviations, startsOnBoot } from "./compare-machine.ts";
import { machineVanished } from "../errors.ts";
import { acceleratorOf, findMachine, placesOn, type MachineHave } from "./find-machine.ts";
import type { HostRegistry } from "../host-registry.ts";
import { bareDefinition, machineDefinition, type Ground } from "./machine-definition.ts";
import { asFound } from "../disks/config-seed.ts";
import {
  claimNames,
  makeVolumes,
  poolOf,
  type FirstConfig,
  type GuestKeys,
  type Site,
} from "../disks/machine-volumes.ts";
import type { MachineKey, MachineWant } from "./machine-want.ts";
import { machineXml } from "./machine-xml.ts";
import { halfMoved } from "../move/errors.ts";
import { isHalf } from "../move/halves.ts";
import { powerOn } from "./power.ts";
import { removeMachine } from "./remove-machine.ts";

export interface MachineParts {
  registry: HostRegistry;
  /** Version of Slipway, written into the mark of every machine. */
  slipway: string;
  gates?: RollingGates | undefined;
  guestKeys?: GuestKeys | undefined;
  firstConfig?: FirstConfig | undefined;
}

/** A virtual machine of libvirt, found again by its UUID and the mark in its metadata. */
export const libvirtMachine = ({ registry, slipway, gates, guestKeys, firstConfig }: MachineParts) => {
  const keys = { guestKeys, firstConfig };
  const slowHosts = new Set<string>();

  const ours = async (ctx: StepContext, client: LibvirtClient, key: MachineKey, doing: string) => {
    const have = await findMachine(ctx, client, key, doing);
    if (!have) throw machineVanished(key);
    return have;
  };

  /** From "it has its mark" to "it runs". Each part is left out or repeated when an earlier run has done it. */
  const finish = async (site: Site, want: MachineWant, accelerator: Ground["accelerator"]) => {
    const { ctx, client, places } = site;
    if (accelerator === "qemu" && !slowHosts.has(want.host)) {
      slowHosts.add(want.host);
      ctx.log("warn", `${want.host} has no KVM: its machines are emulated, many times slower`);
    }
    await makeVolumes(site, want);
    const whole = machineDefinition(want, { slipway, accelerator, places });
    const domain = await client.defineDomain(machineXml(whole), ctx.signal);
    await client.setStartsWithHost(domain, startsOnBoot(want), ctx.signal);
    await powerOn(ctx, client, domain);
  };

  const complete = async (ctx: StepContext, client: LibvirtClient, asked: MachineWant, have: MachineHave) => {
    const want = asFound(asked, have);
    const doing = `finish machine ${want.node}`;
    // What it lacks only the end of the move can give it, and the other end may still be the machine of its node.
    if (isHalf(have, have.mark))
      throw halfMoved({ doing, ...want, from: have.mark.arriving?.from ?? want.host });
    const site: Site = { ctx, client, places: have.places, ...keys };
    const isCalm = () => !deviations(want, have).some(needsOff);
    if (have.isUnfinished) await finish(site, want, have.offers);
    else if (isCalm()) await changeMachine(site, want, have);
    else
      await rollingRestart(ctx, { ...want, drains: true }, gates, async () => {
        // It may have waited for long.
        const now = await ours(ctx, client, want, doing);
        await changeMachine(site, want, now);
      });
    return ours(ctx, client, want, doing);
  };

  return defineResource<MachineWant, MachineHave>({
    kind: "libvirt/machine",
    face: () => ({ hasNoRehearsal: true }),

    read: async (ctx, want) =>
      findMachine(ctx, await registry.client(want.host), want, `use machine ${want.node}`),

    compare: (want, have) => compareMachine(asFound(want, have), have),

    async create(ctx, want) {
      const client = await registry.client(want.host);
      const doing = `create machine ${want.node}`;
      const found = await findMachine(ctx, client, want, doing);
      if (found) return complete(ctx, client, want, found);
      const [places, accelerator] = await Promise.all([
        placesOn(client, ctx.signal),
        acceleratorOf(client, ctx.signal),
      ]);
      poolOf({ places }, want, want.image.pool);
      const site: Site = { ctx, client, places, ...keys };
      await claimNames(site, want);
      // From here on the mark answers for all volumes named after the machine, whatever happens to this run.
      await client.defineDomain(
        machineXml(bareDefinition(want, { slipway, accelerator, places })),
        ctx.signal,
      );
      await finish(site, want, accelerator);
      return ours(ctx, client, want, `finish machine ${want.node}`);
    },

    async update(ctx, want) {
      const client = await registry.client(want.host);
      const have = await ours(ctx, client, want, `change machine ${want.node}`);
      return complete(ctx, client, want, have);
    },

    async remove(ctx, have) {
      const client = await registry.client(have.host);
      const found = await findMachine(ctx, client, have, `remove machine ${have.node}`);
      if (found) await removeMachine(ctx, client, found);
    },

    out: (have) => ({ uuid: have.defined.uuid, host: have.host }),
  });
};
