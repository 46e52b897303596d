import { openMachineConsole, type Console, type ConsoleEvents } from "../providers/libvirt/index.ts";
import type { OwnedMachine } from "../plan/index.ts";
import { isLibvirtHost, type Fleet, type ProxmoxHost } from "../spec/index.ts";
import type { World } from "../world.ts";
import { assemble, hostsOf, readContext } from "./assemble.ts";
import { consoleElsewhere, machineAbsent, machineOff } from "./console-errors.ts";
import { findNode } from "./find-node.ts";
import { hostsSilent } from "./run-errors.ts";

export interface ConsoleRequest {
  fleet: Fleet;
  /** `homelab/cp-1`, or `cp-1`. */
  node: string;
  /** Whoever holds the console loses it. */
  isForced: boolean;
  on: ConsoleEvents;
}

/** Opens the serial console of a node: what it says while it starts, and a login, without any network. */
export async function openNodeConsole(request: ConsoleRequest, world: World): Promise<Console> {
  const { fleet, isForced, on } = request;
  const { cluster, node } = findNode(fleet, request.node);
  const hosts = hostsOf(fleet, [cluster]);
  const survey = await assemble(world).provider.survey(readContext(world), hosts);
  const machine = survey.machines.find((each) => each.cluster === cluster.name && each.node === node.name);
  const name = `${cluster.name}/${node.name}`;
  if (!machine && survey.silent.length > 0) throw hostsSilent(`open the console of ${name}`, survey.silent);
  if (!machine) throw machineAbsent(name, cluster.name);
  if (!machine.isRunning) throw machineOff(name, cluster.name);
  const host = hosts.find((each) => each.name === machine.host);
  if (!host || !isLibvirtHost(host)) throw consoleElsewhere(name, host ? proxmoxPage(host, machine) : "");
  const client = await world.openLibvirt(host);
  return openMachineConsole(client, machine, on, isForced);
}

const proxmoxPage = ({ proxmox }: ProxmoxHost, { vmid, on }: OwnedMachine): string =>
  `${proxmox.url.replace(/\/+$/, "")}/?console=kvm&xtermjs=1&vmid=${vmid}&node=${on}`;
