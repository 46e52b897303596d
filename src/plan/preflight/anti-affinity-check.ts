import type { Check } from "../check.ts";
import type { PlacedNode } from "../contract/provider.ts";

/** Etcd needs more than half of its members, so the loss of one host must never take that many. */
export function antiAffinityCheck(id: string, placed: PlacedNode[]): Check[] {
  const controlPlanes = placed.filter(({ node }) => node.role === "control-plane");
  if (controlPlanes.length < 3) return [];
  const survivable = Math.floor((controlPlanes.length - 1) / 2);
  return [
    {
      id,
      title: "Control planes are spread over hosts",
      failing: "Control planes share a host",
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

const placeOf = ({ host, on }: PlacedNode): string => on ?? host.name;

function crowds(controlPlanes: PlacedNode[]): { place: string; names: string[] }[] {
  const places = [...new Set(controlPlanes.map(placeOf))];
  return places.map((place) => ({
    place,
    names: controlPlanes.filter((each) => placeOf(each) === place).map(({ node }) => node.name),
  }));
}

const placesOf = (controlPlanes: PlacedNode[]): string =>
  crowds(controlPlanes)
    .map(({ place, names }) => `${names.join(", ")} on ${place}`)
    .join("; ");
