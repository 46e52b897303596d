import { isIPv6 } from "node:net";
import type { MachineRef, ProxmoxClient } from "../../clients/proxmox/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { limitTime, memoize } from "../../lib/index.ts";
import type { Consoles, MachinePlace, ReadContext } from "../../plan/index.ts";
import { foreignMachine, hiddenMachine } from "./errors.ts";
import { findMachine } from "./machine/machine-config.ts";
import { finishTask } from "./tasks.ts";
import type { Connect, HostRegistry } from "./host-registry.ts";
import { type MachineHave, machineKeyOf } from "./machine/machine-want.ts";
import type { JustMade } from "./machine/just-made.ts";

const resetWait = { deadlineMs: 60_000, usualMs: 500 };

/** Serial consoles over the terminal proxy of Proxmox, with the rights VM.Console, VM.PowerMgmt and VM.Config.Cloudinit. */
export function proxmoxConsoles(
  registry: HostRegistry,
  made: Pick<JustMade, "placeOf">,
  connect: Connect,
): Consoles {
  const ownAddress = ownAddresses(registry, connect);
  return {
    async listen(ctx, machine, { heard, ended }) {
      // The step that has just made it knows where it is.
      const key = machineKeyOf(machine);
      const place = made.placeOf(key, ctx.clock.now());
      const ref =
        place === undefined
          ? (await findOurs(ctx, registry, machine, `read the console of ${machine.node}`)).ref
          : { node: place, vmid: key.vmid };
      const client = await registry.client(machine.host);
      const isAtHome = ref.node === registry.host(machine.host).proxmox.node;
      const own = isAtHome && !client.hasFreeConsole() ? await ownAddress(ctx, machine.host) : undefined;
      return (own ?? client).readConsole(ref, { data: heard, end: ended }, ctx.signal);
    },

    async reset(ctx, machine) {
      const { ref } = await findOurs(ctx, registry, machine, `reset ${machine.node}`);
      const task = await (await registry.client(machine.host)).resetMachine(ref, ctx.signal);
      await finishTask(ctx, task, { what: `${ref.node} to reset machine ${ref.vmid}`, ...resetWait });
    },

    pageOf({ host, id, on }) {
      const { url } = registry.host(host).proxmox;
      return `${url.replace(/\/+$/, "")}/?console=kvm&xtermjs=1&vmid=${id}&node=${on}`;
    },

    async startAsNew(ctx, machine) {
      const { have, ref } = await findOurs(ctx, registry, machine, `start ${machine.node} as new`);
      const client = await registry.client(machine.host);
      const sshkeys = keysAsNew(have.config["sshkeys"] ?? "");
      const task = await client.changeMachine(ref, { sshkeys }, ctx.signal);
      await finishTask(ctx, task, { what: `${ref.node} to change machine ${ref.vmid}`, ...resetWait });
      await client.writeSeed(ref, ctx.signal);
      const reset = await client.resetMachine(ref, ctx.signal);
      await finishTask(ctx, reset, { what: `${ref.node} to reset machine ${ref.vmid}`, ...resetWait });
    },
  };
}

const apiPort = 8006;
const answerWithinMs = 3_000;

/**
 * Consoles take ports of the server that is asked, whichever node a machine is on: with none free there, a node is asked
 * at the address where its cluster knows it, and known by the certificate its cluster knows. Undefined where that is no
 * other server, or nothing answers from here.
 */
function ownAddresses(
  registry: HostRegistry,
  connect: Connect,
): (ctx: ReadContext, host: string) => Promise<ProxmoxClient | undefined> {
  const others = memoize(async (client: ProxmoxClient) => {
    const [addresses, nodes] = await Promise.all([client.otherAddresses(), client.nodes()]);
    return nodes.flatMap(({ node, fingerprint }) => {
      const address = addresses.get(node);
      return address === undefined || address === "" ? [] : [{ node, address, fingerprint }];
    });
  });
  const find = async (ctx: ReadContext, name: string): Promise<ProxmoxClient | undefined> => {
    const host = registry.host(name);
    const known = await others(await registry.client(name));
    const own = known.find(({ node }) => node === host.proxmox.node);
    if (!own) return undefined;
    const url = `https://${isIPv6(own.address) ? `[${own.address}]` : own.address}:${apiPort}`;
    const { fingerprint } = own;
    const client = await connect({ ...host, proxmox: { ...host.proxmox, url, tls: { fingerprint } } });
    await limitTime(ctx.clock, answerWithinMs, "no answer", undefined, (signal) => client.version(signal));
    return client;
  };
  const found = new Map<string, Promise<ProxmoxClient | undefined>>();
  return (ctx, name) => {
    const known =
      found.get(name) ??
      find(ctx, name).catch((thrown: unknown) => {
        const why = thrown instanceof SlipwayError ? thrown.why : String(thrown);
        ctx.log("debug", `consoles of ${name} are read at the address in the file: ${why}`);
        return undefined;
      });
    found.set(name, known);
    return known;
  };
}

/**
 * The same keys with another comment behind the last one. Proxmox makes the number of an instance out of all that it
 * tells the guest: whatever differs makes it another one.
 */
export function keysAsNew(encoded: string): string {
  const lines = decodeURIComponent(encoded).trimEnd().split("\n");
  const last = lines.pop() ?? "";
  const [, key = last, times = "1"] = /^(.*) slipway-(\d+)$/.exec(last) ?? [];
  return encodeURIComponent([...lines, `${key} slipway-${Number(times) + 1}`, ""].join("\n"));
}

/** Wherever in its Proxmox cluster it is by now. */
async function findOurs(
  ctx: ReadContext,
  registry: HostRegistry,
  machine: MachinePlace,
  doing: string,
): Promise<{ ref: MachineRef; have: MachineHave }> {
  const key = machineKeyOf(machine);
  const { vmid } = key;
  // Whether it runs shows by itself: a console of one that is off says nothing.
  const found = await findMachine(ctx, registry, key, { isRunning: true });
  if (found.state === "ours") return { ref: { node: found.have.on, vmid }, have: found.have };
  if (found.state === "foreign") throw foreignMachine({ doing, vmid, node: found.on, owner: found.owner });
  throw hiddenMachine({ doing, vmid });
}
