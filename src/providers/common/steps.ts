import {
  dataFacts,
  imageStep,
  leftoverData,
  machineStep,
  type GraphNode,
  type KeptDisk,
  type OwnedMachine,
  type PlacedNode,
} from "../../plan/index.ts";
import type { MachineImage } from "../../images/index.ts";
import { hasKnownAddress, type Cluster, type Host } from "../../spec/index.ts";

/** What a provider adds to a step of its own. */
type Own<Want> = Pick<GraphNode<Want>, "kind" | "want" | "usualMs" | "facts">;

/** The machine of a node, as every hypervisor shows it in a plan. */
export const machineNode = <Want>(
  cluster: Cluster,
  { node, host }: PlacedNode,
  own: Own<Want> & Pick<GraphNode, "after">,
): GraphNode<Want> => ({
  ...own,
  id: machineStep(cluster.name, node.name),
  name: `machine ${node.name}`,
  group: "nodes",
  stage: "machines",
  cluster: cluster.name,
  host: host.name,
  node: node.name,
  role: node.role,
  drains: "restart",
  facts: {
    cores: node.cores,
    memoryMiB: node.memoryMiB,
    diskGiB: node.diskGiB,
    ...dataFacts(node.dataDisks.map((disk) => disk.sizeGiB)),
    address: hasKnownAddress(node) ? node.address : "from DHCP",
    ...own.facts,
  },
});

/** Little is said of a machine that leaves: it is found again by its mark. `whereKept` says where kept disks lie then. */
export function leftoverMachine<Want>(
  machine: OwnedMachine,
  losesData: boolean,
  whereKept: (kept: Pick<KeptDisk, "volume">[]) => Record<string, string>,
  own: Own<Want>,
): GraphNode<Want> {
  const { cluster, host, node, role } = machine;
  const { facts, ...keeps } = leftoverData(machine, losesData, whereKept);
  return {
    ...own,
    id: machineStep(cluster, node),
    name: `machine ${node}`,
    after: [],
    group: "nodes",
    stage: "machines",
    cluster,
    host,
    node,
    role,
    facts: {
      cores: machine.cores,
      memoryMiB: machine.memoryMiB,
      ...dataFacts(machine.dataDisksGiB),
      ...own.facts,
      ...facts,
    },
    ...keeps,
  };
}

/** The image of a cluster on one of its hosts. */
export const imageNode = <Want>(
  cluster: Cluster,
  host: Host,
  image: MachineImage,
  own: Own<Want> & Pick<GraphNode, "after" | "name">,
): GraphNode<Want> => ({
  ...own,
  id: imageStep(cluster.name, host.name),
  group: "images",
  stage: "machines",
  cluster: cluster.name,
  host: host.name,
  facts: { image: image.title, ...own.facts },
});

/** An image that no cluster is made from any more. */
export const leftoverImage = <Want extends { host: string; file: string }>(
  cluster: string,
  own: Own<Want> & Pick<GraphNode, "after" | "name">,
): GraphNode<Want> => ({
  ...own,
  // A wanted image of the same host has the shorter id; both may stand in one plan.
  id: `${imageStep(cluster, own.want.host)}/${own.want.file}`,
  group: "images",
  stage: "machines",
  cluster,
  host: own.want.host,
  facts: { image: own.want.file },
});
