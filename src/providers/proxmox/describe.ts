import { dataFacts, type Graph, type GraphNode, type PlacedNode, type Survey } from "../../plan/index.ts";
import { hasKnownAddress, type Cluster, type ProxmoxHost } from "../../spec/index.ts";
import { keepsFiles } from "./disk-format.ts";
import type { MachineWant } from "./machine-config.ts";
import { machineWant } from "./machine-want.ts";
import { describeOrigin, type NodeSource, type OriginView } from "./origin/index.ts";

const usualMachineMs = 10_000;

export const machineStep = (cluster: string, node: string): string => `${cluster}/machine/${node}`;

/** What the machines come from, the machines, and what is tidied up after them. */
export function describeMachines(
  cluster: Cluster,
  placed: PlacedNode<ProxmoxHost>[],
  options: Pick<OriginView, "needs" | "canRegister" | "hostNamed">,
): Graph {
  const hosts = hostsWithImage(placed, options.needs.survey);
  const origin = describeOrigin({ cluster, placed, hosts, ...options });
  const machines = placed.map((each) =>
    machineNode(cluster, each, origin.sourceOf(each), fileStoragesOf(options.needs.survey, each.host)),
  );
  return [...origin.before, ...machines, ...origin.afterwards(machines)];
}

/** All in use, but for those that only took over machines made elsewhere: nothing is made from an image there. */
function hostsWithImage(placed: PlacedNode<ProxmoxHost>[], survey: Survey): ProxmoxHost[] {
  const hosts = [...new Map(placed.map(({ host }) => [host.name, host])).values()];
  const exists = (vmid: number): boolean => survey.machines.some((machine) => machine.vmid === vmid);
  return hosts.filter(
    (host) =>
      survey.images.some((image) => image.host === host.name) ||
      placed.some((each) => each.host === host && !exists(each.vmid)),
  );
}

const fileStoragesOf = ({ hosts }: Survey, { name }: ProxmoxHost): string[] =>
  (hosts.find(({ host }) => host === name)?.storages ?? [])
    .filter(({ type }) => keepsFiles(type))
    .map((storage) => storage.name)
    .toSorted();

function machineNode(
  cluster: Cluster,
  placed: PlacedNode<ProxmoxHost>,
  source: NodeSource,
  fileStorages: string[],
): GraphNode<MachineWant> {
  const { node, host, vmid } = placed;
  const { image, from } = source;
  const want = {
    ...machineWant(cluster, placed, image.file),
    ...(fileStorages.length > 0 && { fileStorages }),
    image,
    ...(from && { from }),
  };
  return {
    id: machineStep(cluster.name, node.name),
    kind: "proxmox/machine",
    name: `machine ${node.name}`,
    want,
    after: source.after,
    group: "nodes",
    stage: "machines",
    cluster: cluster.name,
    host: host.name,
    node: node.name,
    role: node.role,
    usualMs: usualMachineMs,
    facts: {
      cores: node.cores,
      memoryMiB: node.memoryMiB,
      diskGiB: node.diskGiB,
      ...dataFacts(node.dataDisks.map((disk) => disk.sizeGiB)),
      address: hasKnownAddress(node) ? node.address : "from DHCP",
      vmid,
      ...source.facts,
      bridge: cluster.network.bridge,
      ...(cluster.network.vlan !== undefined && { vlan: cluster.network.vlan }),
    },
  };
}
