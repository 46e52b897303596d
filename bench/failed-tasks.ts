import { Agent, request } from "node:https";
import { json } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";

interface Asked {
  address: string;
  ca: string;
  token: string;
  nodes: string[];
}

/** Tasks of the nodes that ended with an error, as Proxmox lists them. */
export async function failedTasks({ address, ca, token, nodes }: Asked): Promise<unknown[]> {
  const agent = new Agent({ ca });
  const lists = await Promise.all(
    nodes.map(async (node) => {
      const url = `https://${address}:8006/api2/json/nodes/${node}/tasks?errors=1&limit=500`;
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
