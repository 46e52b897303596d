import { Agent, request } from "node:https";
import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";

export interface Asked {
  address: string;
  ca: string;
  token: string;
  nodes: string[];
}

/** Tasks of the nodes that ended with an error, as Proxmox lists them. */
export const failedTasks = (asked: Asked): Promise<unknown[]> => listTasks(asked, "errors=1&limit=500");

/** Waits until the nodes have nothing left to do: some programs do not wait for what they started. */
export async function untilIdle(asked: Asked): Promise<void> {
  while ((await listTasks(asked, "source=active")).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function listTasks({ address, ca, token, nodes }: Asked, query: string): Promise<unknown[]> {
  const agent = new Agent({ ca });
  const lists = await Promise.all(
    nodes.map(async (node) => {
      const url = `https://${address}:8006/api2/json/nodes/${node}/tasks?${query}`;
      const headers = { authorization: `PVEAPIToken=${token}` };
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request(url, { agent, headers }, resolve).on("error", reject).end();
      });
      return ((await json(answer)) as { data: unknown[] }).data;
    }),
  );
  agent.destroy();
  return lists.flat();
}
