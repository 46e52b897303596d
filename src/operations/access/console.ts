import type { ConsoleListener, OpenConsole } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { assemble, hostsOf, readContext } from "../planning/assemble.ts";
import { consoleElsewhere, machineAbsent, machineOff } from "./console-errors.ts";
import { findNode } from "../fleet/find-node.ts";
import { hostsUnreachable } from "../planning/errors.ts";

export interface ConsoleRequest {
  fleet: Fleet;
  /** `homelab/cp-1`, or `cp-1`. */
  node: string;
  /** A session that holds the console loses it. */
  isForced: boolean;
  listener: ConsoleListener;
}

/** Opens the serial console of a node: what it says while it starts, and a login, without any network. */
export async function openNodeConsole(request: ConsoleRequest, world: World): Promise<OpenConsole> {
  const { fleet, isForced, listener } = request;
  const { cluster, node } = findNode(fleet, request.node);
  const hosts = hostsOf(fleet, [cluster]);
  const { provider } = assemble(world, fleet);
  const survey = await provider.survey(readContext(world), hosts);
  const machine = survey.machines.find((each) => each.cluster === cluster.name && each.node === node.name);
  const name = `${cluster.name}/${node.name}`;
  if (!machine && survey.unreachable.length > 0)
    throw hostsUnreachable(`open the console of ${name}`, survey.unreachable);
  if (!machine) throw machineAbsent(name, cluster.name);
  if (!machine.isRunning) throw machineOff(name, cluster.name);
  const { open, pageOf } = provider.consolesOf(machine) ?? {};
  if (!open) throw consoleElsewhere(name, pageOf?.(machine) ?? "");
  return open(machine, listener, isForced);
}
