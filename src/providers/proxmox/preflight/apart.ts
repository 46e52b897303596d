import type { Check, PlacedNode } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";

/** Etcd needs more than half of its members, so the loss of one host must never take that many. */
export function apartCheck(placed: PlacedNode<ProxmoxHost>[]): Check[] {
  const controlPlanes = placed.filter(({ node }) => node.role === "control-plane");
  if (controlPlanes.length < 3) return [];
  const survivable = Math.floor((controlPlanes.length - 1) / 2);
  return [
    {
      id: "proxmox-apart",
      title: "Control planes stand apart",
      run: () => {
        const crowd = crowds(controlPlanes).find(({ names }) => names.length > survivable);
        const needed = `at most ${survivable} on one host`;
        if (!crowd) return Promise.resolve({ status: "ok", needed, found: placesOf(controlPlanes) });
        const found = `${crowd.names.join(", ")} share ${crowd.place}: when it is lost, so is the Kubernetes API`;
        return Promise.resolve({ status: "warned", needed, found });
      },
    },
  ];
}

const placeOf = ({ host, on }: PlacedNode<ProxmoxHost>): string => on ?? host.name;

function crowds(controlPlanes: PlacedNode<ProxmoxHost>[]): { place: string; names: string[] }[] {
  const places = [...new Set(controlPlanes.map(placeOf))];
  return places.map((place) => ({
    place,
    names: controlPlanes.filter((each) => placeOf(each) === place).map(({ node }) => node.name),
  }));
}

const placesOf = (controlPlanes: PlacedNode<ProxmoxHost>[]): string =>
  crowds(controlPlanes)
    .map(({ place, names }) => `${names.join(", ")} on ${place}`)
    .join("; ");
