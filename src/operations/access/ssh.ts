import type { SshSession, TerminalSize } from "../../clients/ssh/index.ts";
import { guestOf, LinuxAccess } from "../../distros/linux-hosts/index.ts";
import { sshKeyStore } from "../../secrets/index.ts";
import { guestsOf, type Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { noShellThere } from "../errors.ts";
import { factsOf } from "../fleet/facts.ts";
import { findNode } from "../fleet/find-node.ts";

export interface SessionRequest {
  fleet: Fleet;
  /** `homelab/web-1`, or `web-1`. */
  node: string;
  /** A program and its arguments as they are; empty for a shell. */
  command: string[];
  /** Left out: no terminal is made for it. */
  terminal?: (TerminalSize & { name: string }) | undefined;
}

/** Logs in on a node with the cluster's own key, held to the host key it was given. The caller closes it. */
export async function openNodeSession(
  request: SessionRequest,
  world: World,
): Promise<SshSession & { close(): void }> {
  const { cluster, node } = findNode(request.fleet, request.node);
  const { noShell } = factsOf(cluster, world);
  if (noShell)
    throw noShellThere({
      ...{ cluster: cluster.name, node: node.name },
      ...{ why: noShell.why, instead: noShell.instead(node) },
    });
  const { clock, calls, folder, random, secretFiles: files } = world;
  const dialFor = (name: string) => world.dialFor(name);
  const access = new LinuxAccess({
    ...{ dialFor, clock, calls, folder },
    keys: sshKeyStore({ folder, random, files }),
  });
  const connection = await access.open(guestOf(guestsOf(cluster), node), world.stop);
  try {
    const session = await connection.openSession(request.command, request.terminal);
    return { ...session, close: () => connection.close() };
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}
