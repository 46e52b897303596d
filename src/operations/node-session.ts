import type { SshSession, TerminalSize } from "../clients/ssh/index.ts";
import { guestOf, LinuxAccess } from "../distros/linux/index.ts";
import { sshKeyStore } from "../secrets/index.ts";
import { hasGuests, type Fleet } from "../spec/index.ts";
import type { World } from "../world.ts";
import { noShellOnTalos } from "./errors.ts";
import { findNode } from "./find-node.ts";

export interface SessionRequest {
  fleet: Fleet;
  /** `homelab/web-1`, or `web-1`. */
  node: string;
  /** A program and its arguments as they are; empty for a shell. */
  command: string[];
  /** Left out: no terminal is made for it. */
  terminal?: TerminalSize & { name: string };
}

/** Logs in on a node with the cluster's own key, held to the host key it was given. The caller closes it. */
export async function openNodeSession(
  request: SessionRequest,
  world: World,
): Promise<SshSession & { close(): void }> {
  const { cluster, node } = findNode(request.fleet, request.node);
  if (!hasGuests(cluster)) throw noShellOnTalos(cluster.name, node.name, node.address);
  const { folder, random, secretFiles: files } = world;
  const dialFor = (name: string) => world.dialFor(name);
  const access = new LinuxAccess({ dialFor, folder, keys: sshKeyStore({ folder, random, files }) });
  const connection = await access.open(guestOf(cluster, node), world.stop);
  try {
    const session = await connection.openSession(request.command, request.terminal);
    return { ...session, close: () => connection.close() };
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}
