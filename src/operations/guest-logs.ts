import type { SshConnection } from "../clients/ssh/index.ts";
import { guestOf, LinuxAccess } from "../distros/linux/index.ts";
import { describeCause } from "../errors/index.ts";
import { limitTime, Places } from "../lib/index.ts";
import { sshKeyStore } from "../secrets/index.ts";
import type { GuestCluster, Node } from "../spec/index.ts";
import type { World } from "../world.ts";

/** A log of a node; one that could not be had says why. */
export interface NodeLog {
  node: string;
  name: string;
  text: string;
}

const patienceMs = 15_000;
const nodesAtOnce = 16;
const tailLines = "400";

const questions: Record<string, string[]> = {
  "cloud-init.txt": ["cloud-init", "status", "--long"],
  "k3s.log": ["sudo", "-n", "journalctl", "-u", "k3s", "-b", "--no-pager", "-n", tailLines, "-o", "cat"],
  "k3s-agent.log": [
    "sudo",
    "-n",
    "journalctl",
    "-u",
    "k3s-agent",
    "-b",
    "--no-pager",
    "-n",
    tailLines,
    "-o",
    "cat",
  ],
};

/** What machines from cloud images say about themselves, over SSH. Reads only, and never fails. */
export async function guestLogs(cluster: GuestCluster, world: World): Promise<NodeLog[]> {
  const { folder, random, secretFiles: files } = world;
  const dialFor = (name: string) => world.dialFor(name);
  const access = new LinuxAccess({ dialFor, folder, keys: sshKeyStore({ folder, random, files }) });
  const places = new Places(nodesAtOnce);
  const logs = cluster.nodes.map((node) => places.use(() => logsOf(access, cluster, node, world)));
  return (await Promise.all(logs)).flat();
}

async function logsOf(
  access: LinuxAccess,
  cluster: GuestCluster,
  node: Node,
  world: World,
): Promise<NodeLog[]> {
  const asked = Object.entries(questions).filter(([name]) => isAsked(cluster, node, name));
  try {
    return await limitTime(patienceMs, "no answer in time", world.stop, (signal) =>
      access.using(guestOf(cluster, node), signal, patienceMs, async (connection) =>
        Promise.all(
          asked.map(async ([name, command]) => ({
            node: node.name,
            name,
            text: await answer(connection, command, signal),
          })),
        ),
      ),
    );
  } catch (thrown) {
    return [{ node: node.name, name: "ssh.txt", text: `not to be had: ${describeCause(thrown)}\n` }];
  }
}

const isAsked = ({ distribution }: GuestCluster, { role }: Node, name: string): boolean =>
  !name.startsWith("k3s") ||
  (distribution.kind === "k3s" && (name === "k3s.log") === (role === "control-plane"));

async function answer(connection: SshConnection, command: string[], signal: AbortSignal): Promise<string> {
  const { stdout, stderr } = await connection.run(command, { signal });
  return `${stdout}${stderr}`;
}
