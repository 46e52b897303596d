import { hasKnownAddress, type Cluster, type Host } from "../spec/index.ts";
import type { StepId } from "./events.ts";
import type { OwnedMachine } from "./contract/owned-machine.ts";
import type { KeptDisk, PlacedNode } from "./contract/provider.ts";
import type { GraphNode } from "./resource.ts";

/** The step that makes the machine of a node, whatever makes it: all that a node needs comes after it. */
export const machineStep = (cluster: string, node: string): StepId => `${cluster}/machine/${node}`;

/** The step that fetches the image of a host, or with `schematic` the one that says what images are made of. */
export const imageStep = (cluster: string, what: string): StepId => `${cluster}/image/${what}`;

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

/** `50 + 50`; a machine without data disks has nothing to say about them. */
export const dataFacts = (sizesGiB: number[]): Record<string, string> =>
  sizesGiB.length === 0 ? {} : { dataGiB: sizesGiB.join(" + ") };

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

/** What becomes of the data disks of a machine that leaves. `whereKept` says where those lie that outlive it. */
export function leftoverData(
  machine: Pick<OwnedMachine, "dataDisksGiB" | "keptDisks">,
  losesData: boolean,
  whereKept: (kept: Pick<KeptDisk, "volume">[]) => Record<string, string>,
): Required<Pick<GraphNode, "facts">> & Pick<GraphNode, "keeps"> {
  const kept = losesData ? [] : machine.keptDisks;
  const lost = machine.dataDisksGiB.length - kept.length;
  return {
    facts: {
      lostDisks: lost > 0 ? lost : undefined,
      ...(kept.length > 0 && {
        keptGiB: kept.map((disk) => disk.sizeGiB).join(" + "),
        ...whereKept(kept),
      }),
    },
    ...(kept.length > 0 && { keeps: kept.length === 1 ? "data disk" : `${kept.length} data disks` }),
  };
}

/** The image of a cluster on one of its hosts. */
export const imageNode = <Want>(
  cluster: Cluster,
  host: Host,
  image: { title: string },
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

/** Images and pools belong to no cluster; they are told with the one that leaves. */
export function ownerOfShared(leftovers: GraphNode[], removing: string[]): string {
  const clusters = new Set([...removing, ...leftovers.map((node) => node.cluster)]);
  const [only] = clusters;
  return clusters.size === 1 && only !== undefined ? only : "shared";
}
