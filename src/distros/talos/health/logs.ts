import { readFile } from "node:fs/promises";
import path from "node:path";
import { connectTalos, type TalosClient } from "../../../clients/talos/index.ts";
import { describeCause } from "../../../errors/index.ts";
import { limitTime, Semaphore, type Clock } from "../../../lib/index.ts";
import type { NodeLog } from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import { readTalosconfig } from "../config/index.ts";
import type { TalosAccess } from "../talos-access.ts";

const patienceMs = 8_000;
const nodesAtOnce = 16;
const tailLines = 400;
const services = ["machined", "apid", "kubelet", "etcd"];

/** What the nodes of a cluster say about themselves, as far as they answer. Reads only, and never fails. */
export async function nodeLogs(access: TalosAccess, cluster: Cluster, stop: AbortSignal): Promise<NodeLog[]> {
  const { world } = access;
  const file = path.join(world.folder, cluster.name, "talosconfig");
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return [];
  const { ca, cert, key } = readTalosconfig(text, file);
  world.redaction.register(key);
  const semaphore = new Semaphore(nodesAtOnce);
  const ask = async ({ name, address }: Cluster["nodes"][number]): Promise<NodeLog[]> => {
    const client = connectTalos({ address, ...access.route(cluster.name), identity: { ca, cert, key } });
    try {
      const logs = (): Promise<NodeLog>[] => logsOf(client, world.clock, stop).map((log) => named(name, log));
      return await semaphore.use(() => Promise.all(logs()));
    } finally {
      client.close();
    }
  };
  return (await Promise.all(cluster.nodes.map(ask))).flat();
}

function logsOf(client: TalosClient, clock: Clock, stop: AbortSignal) {
  const inTime = (work: (signal: AbortSignal) => Promise<string>): Promise<string> =>
    limitTime(clock, patienceMs, "no answer in time", stop, work);
  return [
    {
      name: "services.json",
      text: inTime(async (signal) => JSON.stringify(await client.services({ signal }), null, 2)),
    },
    { name: "dmesg.log", text: inTime((signal) => joined(client.dmesg({ signal }))) },
    ...services.map((id) => ({
      name: `${id}.log`,
      text: inTime((signal) => joined(client.logs(id, { signal, tailLines }))),
    })),
  ];
}

async function joined(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const part of parts) chunks.push(part);
  return Buffer.concat(chunks).toString("utf8");
}

const named = async (node: string, log: { name: string; text: Promise<string> }): Promise<NodeLog> => ({
  node,
  name: log.name,
  text: await log.text.catch((thrown: unknown) => `not available: ${describeCause(thrown)}\n`),
});
