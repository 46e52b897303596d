import type { NodeLook, SilentHost } from "../plan/index.ts";
import type { Cluster, Node } from "../spec/index.ts";
import type { NodeStatus } from "./status.ts";

/** Its machine may stand on a host that cannot be asked; what the node itself says still counts. */
export const unseenNode = (node: Node, look: NodeLook | undefined, silent: SilentHost): NodeStatus => ({
  node: node.name,
  role: node.role,
  state: look?.isReady === true ? "Ready" : look?.software === undefined ? "Silent" : "Not Ready",
  address: node.address,
  ...(look?.software !== undefined && { software: look.software }),
  know: silenceWords(silent),
});

export const silenceWords = ({ host, error }: SilentHost): string =>
  `host ${host} cannot be asked: ${error.why}`;

/** The hosts of a cluster that did not answer. */
export const silentFor = (cluster: Cluster, silent: SilentHost[]): SilentHost[] =>
  silent.filter((each) => cluster.on.includes(each.host));
