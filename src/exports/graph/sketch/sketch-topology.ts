import { disksText, placeText, roleText, sizesText, wireText } from "../texts.ts";
import { markText } from "../marks.ts";
import type { Machine, Mark, TopologyCluster, TopologyDiagram, TopologyHost } from "../model.ts";
import { titleOf } from "../titles.ts";
import type { Box, Line, Sketch } from "./sketch.ts";

export const sketchTopology = (diagram: TopologyDiagram): Sketch => ({
  title: titleOf(diagram),
  hasArrows: false,
  direction: "down",
  boxes: diagram.clusters.map(clusterBox),
  lines: diagram.clusters.flatMap(endpointLines),
});

const clusterBox = (cluster: TopologyCluster): Box => ({
  id: cluster.name,
  shape: "group",
  text: [cluster.name, ...given(cluster.software), ...markLine(cluster)],
  mark: cluster.mark,
  children: [
    ...endpointBox(cluster),
    ...cluster.hosts.map((host) => hostBox(cluster.name, host)),
    ...addonsBox(cluster),
  ],
});

const endpointId = ({ name }: TopologyCluster): string => `${name}/endpoint`;

function endpointBox(cluster: TopologyCluster): Box[] {
  const { vip, endpoint } = cluster;
  if (endpoint === undefined) return [];
  const text = vip === undefined ? ["Kubernetes API", endpoint] : [`VIP ${vip}`, endpoint];
  return [{ id: endpointId(cluster), shape: "endpoint", text, children: [] }];
}

const hostBox = (cluster: string, host: TopologyHost): Box => ({
  id: `${cluster}/${host.name}`,
  shape: "group",
  text: [host.name, ...given(host.software), ...markLine(host)],
  mark: host.mark,
  children: host.machines.map((machine) => machineBox(cluster, host.name, machine)),
});

const machineBox = (cluster: string, host: string, machine: Machine): Box => ({
  id: `${cluster}/${host}/${machine.name}`,
  shape: "box",
  text: [
    machine.name,
    roleText(machine),
    ...given(placeText(machine)),
    ...given(sizesText(machine)),
    ...given(disksText(machine)),
    ...markLine(machine),
  ],
  mark: machine.mark,
  children: [],
});

function addonsBox(cluster: TopologyCluster): Box[] {
  const { addons, network, name } = cluster;
  const names = addons.map((addon) =>
    addon.mark === undefined ? addon.name : `${addon.name} ${markText(addon.mark)}`,
  );
  const wire = network
    ? [wireText(network), ...given(network.subnet ?? ""), ...gatewayLine(network.gateway)]
    : [];
  return [
    ...(names.length === 0
      ? []
      : [{ id: `${name}/add-ons`, shape: "note" as const, text: ["Add-ons", ...names], children: [] }]),
    ...(wire.length === 0
      ? []
      : [{ id: `${name}/network`, shape: "network" as const, text: wire, children: [] }]),
  ];
}

const gatewayLine = (gateway: string | undefined): string[] =>
  gateway === undefined ? [] : [`gateway ${gateway}`];

/** From the endpoint to whoever answers there. */
function endpointLines(cluster: TopologyCluster): Line[] {
  if (cluster.endpoint === undefined) return [];
  return cluster.hosts.flatMap(({ name, machines }) =>
    machines
      .filter(({ role, mark }) => role === "control-plane" && mark !== "leftover")
      .map((machine) => ({ from: endpointId(cluster), to: `${cluster.name}/${name}/${machine.name}` })),
  );
}

const given = (text: string): string[] => (text === "" ? [] : [text]);
const markLine = ({ mark, note }: { mark?: Mark | undefined; note?: string | undefined }): string[] =>
  mark === undefined ? [] : [markText(mark, note)];
