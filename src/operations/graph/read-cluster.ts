import type {
  HostFinding,
  Mark,
  MarkedAddon,
  NodeFinding,
  ReadCluster,
  Readings,
} from "../../exports/graph/index.ts";
import { placeNodes, type PlacedNode, type Survey } from "../../plan/index.ts";
import type { Cluster, Fleet, Host } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { selectClusters, type Selection } from "../fleet/select.ts";
import { hostsOf } from "../planning/assemble.ts";
import { hostsUnreachable } from "../planning/errors.ts";
import { surveyStatus } from "../status.ts";
import type { ClusterState, ClusterStatus, NodeState } from "../status/cluster-status.ts";
import { leftoverOf, leftoversOf } from "./leftovers.ts";
import { emptySurvey, fileCluster, noIds } from "./read-file.ts";

/** What really exists, as `status` finds it: machines that are missing and those that nobody wants are among it. */
export async function readCluster(
  request: { fleet: Fleet; selection: Selection },
  world: World,
): Promise<Readings> {
  const { fleet, selection } = request;
  const { survey, clusters: found } = await surveyStatus(request, world);
  const isAnswering = found.some(({ nodes }) => nodes.some(({ state }) => state !== "Unreachable"));
  if (survey.hosts.length === 0 && survey.unreachable.length > 0 && !isAnswering)
    throw hostsUnreachable("draw what exists", survey.unreachable);
  const wanted = fleet.clusters.filter(({ name }) => found.some(({ cluster }) => cluster === name));
  const hosts =
    wanted.length === found.length ? hostsOf(fleet, selectClusters(fleet, selection)) : fleet.hosts;
  const placed = placesOf(wanted, hosts, survey);
  return {
    from: "cluster",
    hosts,
    hostFindings: hostFindings(survey),
    clusters: found.map((status) => {
      const cluster = wanted.find(({ name }) => name === status.cluster);
      return foundCluster(status, cluster, placed.get(status.cluster) ?? [], survey, world);
    }),
  };
}

function hostFindings({ hosts, unreachable }: Survey): Record<string, HostFinding> {
  return Object.fromEntries([
    ...hosts.map(({ host, software }) => [host, { software }]),
    ...unreachable.map(({ host, error }) => [host, { mark: "unreachable", note: error.why }]),
  ]) as Record<string, HostFinding>;
}

/** Machines are where they were seen. One that was not seen may well be on a host that cannot be asked. */
function placesOf(clusters: Cluster[], hosts: Host[], survey: Survey): Map<string, PlacedNode[]> {
  const placed = placeNodes(clusters, hosts, survey, noIds);
  const planned = placeNodes(clusters, hosts, emptySurvey, noIds);
  const away = new Set(survey.unreachable.map(({ host }) => host));
  const isSeen = (cluster: string, node: string): boolean =>
    survey.machines.some((machine) => machine.cluster === cluster && machine.node === node);
  return new Map(
    clusters.map(({ name, on }) => {
      const silent = hosts.find((host) => away.has(host.name) && on.includes(host.name));
      const places = (placed.get(name) ?? []).map((place): PlacedNode => {
        if (!silent || isSeen(name, place.node.name)) return place;
        const first = planned.get(name)?.find(({ node }) => node.name === place.node.name)?.host;
        return { ...place, host: first && away.has(first.name) ? first : silent };
      });
      return [name, places];
    }),
  );
}

const nodeMarks: Record<NodeState, Mark> = {
  Ready: "ready",
  "Not Ready": "not-ready",
  Unreachable: "unreachable",
  Stopped: "stopped",
  Missing: "missing",
};

const clusterMarks: Record<ClusterState, Mark> = {
  Ready: "ready",
  Degraded: "not-ready",
  Unreachable: "unreachable",
  Absent: "missing",
  Leftover: "leftover",
};

function foundCluster(
  status: ClusterStatus,
  cluster: Cluster | undefined,
  placed: PlacedNode[],
  survey: Survey,
  world: World,
): ReadCluster {
  const base: ReadCluster = cluster
    ? fileCluster(cluster, world)
    : {
        name: status.cluster,
        placed,
        software: "",
        hasKubernetes: false,
        nodes: {},
        leftovers: [],
        addons: [],
      };
  const hasVersion = status.version !== "" && status.version !== "-";
  return {
    ...base,
    placed,
    ...(hasVersion && { software: status.version.replaceAll(/ {2,}/g, " · ").replace("K8s", "Kubernetes") }),
    nodes: cluster ? nodeFindings(status, survey) : {},
    leftovers: leftoversOf(status.cluster, cluster, survey).map((machine) =>
      leftoverOf(
        machine,
        "leftover",
        machine.isRunning ? "runs, not in the file" : "stopped, not in the file",
      ),
    ),
    addons: status.addons?.map(addonOf) ?? base.addons,
    mark: clusterMarks[status.state],
    note: status.know,
  };
}

function nodeFindings({ cluster, nodes }: ClusterStatus, { machines }: Survey): Record<string, NodeFinding> {
  return Object.fromEntries(
    nodes.map(({ node, state, address, vmid, know }) => {
      const machine = machines.find((each) => each.cluster === cluster && each.node === node);
      const found: NodeFinding = {
        ...(address !== "" && { address: address === "from DHCP" ? "DHCP" : address }),
        // A machine that is missing keeps the number that the file gives it.
        vmid,
        ...(machine && { cores: machine.cores, memoryMiB: machine.memoryMiB }),
        mark: nodeMarks[state],
        note: know,
      };
      return [node, found];
    }),
  );
}

const addonMarks: Record<NonNullable<ClusterStatus["addons"]>[number]["state"], Mark> = {
  Ready: "ready",
  "Not Ready": "not-ready",
  Incomplete: "not-ready",
  Missing: "missing",
  Leaving: "leftover",
  "Handed over": "ready",
};

const addonOf = ({ addon, state, know }: NonNullable<ClusterStatus["addons"]>[number]): MarkedAddon => ({
  name: addon,
  mark: addonMarks[state],
  note: know,
});
