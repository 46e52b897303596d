import type { SshConnection } from "../../clients/ssh/index.ts";
import { describeCause } from "../../errors/index.ts";
import { limitTime, Semaphore } from "../../lib/index.ts";
import type { NodeLog } from "../../plan/index.ts";
import type { GuestCluster, Node } from "../../spec/index.ts";
import { guestOf } from "./describe-systems.ts";
import type { LinuxAccess } from "./linux-access.ts";

const patienceMs = 15_000;
const nodesAtOnce = 16;
const tailLines = "400";

const cloudInitStatus = ["cloud-init", "status", "--long"];

const journalOf = (unit: string): string[] => [
  "sudo",
  "-n",
  "journalctl",
  "-u",
  unit,
  "-b",
  "--no-pager",
  "-n",
  tailLines,
  "-o",
  "cat",
];

/**
 * What machines from cloud images say about themselves, over SSH: how cloud-init fared, and the journals of these units.
 * Reads only, and never fails.
 */
export async function hostLogs(
  access: LinuxAccess,
  cluster: GuestCluster,
  unitsOf: (node: Node) => string[],
  stop: AbortSignal,
): Promise<NodeLog[]> {
  const places = new Semaphore(nodesAtOnce);
  const logs = cluster.nodes.map((node) => {
    const journals = unitsOf(node).map((unit) => ({ name: `${unit}.log`, command: journalOf(unit) }));
    const asked = [{ name: "cloud-init.txt", command: cloudInitStatus }, ...journals];
    return places.use(() => logsOf(access, cluster, node, asked, stop));
  });
  return (await Promise.all(logs)).flat();
}

async function logsOf(
  access: LinuxAccess,
  cluster: GuestCluster,
  node: Node,
  asked: { name: string; command: string[] }[],
  stop: AbortSignal,
): Promise<NodeLog[]> {
  try {
    return await limitTime(access.world.clock, patienceMs, "no answer in time", stop, (signal) =>
      access.using(guestOf(cluster, node), signal, patienceMs, async (connection) =>
        Promise.all(
          asked.map(async ({ name, command }) => ({
            node: node.name,
            name,
            text: await answer(connection, command, signal),
          })),
        ),
      ),
    );
  } catch (thrown) {
    return [{ node: node.name, name: "ssh.txt", text: `not available: ${describeCause(thrown)}\n` }];
  }
}

async function answer(connection: SshConnection, command: string[], signal: AbortSignal): Promise<string> {
  const { stdout, stderr } = await connection.run(command, { signal });
  return `${stdout}${stderr}`;
}
