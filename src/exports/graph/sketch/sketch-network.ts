import { groupBy } from "../../../lib/index.ts";
import { markText } from "../marks.ts";
import type { Network, NetworkDiagram, NetworkMachine } from "../model.ts";
import { networkLines, roleText, wireText } from "../texts.ts";
import { titleOf } from "../titles.ts";
import type { Box, Sketch } from "./sketch.ts";

export function sketchNetwork(diagram: NetworkDiagram): Sketch {
  const byHost = groupBy(diagram.machines, ({ cluster, host }) => JSON.stringify([cluster, host]));
  return {
    title: titleOf(diagram),
    hasArrows: false,
    direction: "right",
    boxes: [...diagram.networks.map(networkBox), ...[...byHost.values()].map(hostBox)],
    lines: diagram.machines.flatMap((machine) =>
      machine.nics.map(({ network, address, bond }) => {
        const text = [address, bond].filter((part) => part !== undefined).join(", ");
        return { from: network, to: machineId(machine), text: text === "" ? undefined : text };
      }),
    ),
  };
}

const networkBox = (network: Network): Box => ({
  id: network.id,
  shape: "network",
  text: [
    wireText(network),
    ...networkLines(network),
    ...network.shared.map(
      ({ cluster, name, address, to }) =>
        `${name} of ${cluster}: ${address}${to === undefined ? "" : ` to ${to}`}`,
    ),
  ],
  children: [],
});

function hostBox(machines: NetworkMachine[]): Box {
  const [{ cluster, host } = { cluster: "", host: "" }] = machines;
  return {
    id: `${cluster}/${host}`,
    shape: "group",
    text: [`${cluster} on ${host}`],
    children: machines.map((machine) => ({
      id: machineId(machine),
      shape: "box",
      text: [
        machine.name,
        roleText(machine),
        ...(machine.mark === undefined ? [] : [markText(machine.mark, machine.note)]),
      ],
      children: [],
      mark: machine.mark,
    })),
  };
}

const machineId = ({ cluster, host, name }: NetworkMachine): string => `${cluster}/${host}/${name}`;
