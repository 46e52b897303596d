import { ApiError } from "./api-error.ts";
import type { Cluster } from "./cluster.ts";
import { nodePowers, setNode, type NodePower } from "./node-power.ts";
import type { RawParams } from "./verify.ts";

/**
 * What no real server has: the hand at the plug. `PUT /sim/nodes/NAME` with `power=off`, `cut-off` or `on`, at any
 * node's port, without log-in; answered also by a node that is off.
 */
export async function answerControl(
  cluster: Cluster,
  method: string,
  path: string,
  params: RawParams,
): Promise<unknown> {
  const node = /^\/sim\/nodes\/([^/]+)$/.exec(path)?.[1];
  if (path === "/sim/nodes" && method === "GET") return powers(cluster);
  if (node === undefined || method !== "PUT") {
    throw new ApiError(501, `write "PUT /sim/nodes/NAME" with power=${nodePowers.join("|")}`);
  }
  const power = nodePowers.find((it) => it === params["power"]);
  if (!cluster.file.nodes[node]) throw new ApiError(400, `there is no node "${node}"`);
  if (power === undefined) throw new ApiError(400, `power is one of ${nodePowers.join(", ")}`);
  await setNode(cluster, node, power);
  return powers(cluster);
}

const powers = (cluster: Cluster): Record<string, NodePower> =>
  Object.fromEntries(
    Object.keys(cluster.file.nodes).map((node) => [
      node,
      cluster.state.offline[node] === undefined ? "on" : "off",
    ]),
  );
