import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import { adviseName } from "../../schema/fields/one-of.ts";
import type { Problem } from "../../source/problem.ts";
import type { Path } from "../../source/positions.ts";

/** Clusters and pools name hosts; those must exist. */
export function checkHostsUsed(fleet: FleetDraft): Problem[] {
  if (!fleet.isWhole) return [];
  return fleet.clusters.flatMap((draft) => [...clusterHosts(fleet, draft), ...pinnedHosts(draft)]);
}

function clusterHosts({ hostNames }: FleetDraft, draft: ClusterDraft): Problem[] {
  const { cluster, written, document, path } = draft;
  if (written.on === undefined && cluster.on.length === 0) {
    const isNone = hostNames.size === 0;
    return [
      {
        code: "SPEC_MISSING_FIELD",
        what: isNone
          ? "There is no host this cluster could run on"
          : `"${cluster.name}" does not say on which of ${hostNames.size} hosts it runs`,
        next: isNone
          ? 'Describe a host below "hosts:"'
          : `Add on: ${[...hostNames][0]}, or on: [${[...hostNames].join(", ")}]`,
        position: document.locateKey(path),
      },
    ];
  }
  const isList = Array.isArray(written.on);
  return [written.on ?? []].flat().flatMap((name, i): Problem[] => {
    if (hostNames.has(name)) return [];
    const place: Path = [...path, "on", ...(isList ? [i] : [])];
    return [unknownHost(name, [...hostNames], document.locate(place))];
  });
}

function pinnedHosts({ cluster, pools, document }: ClusterDraft): Problem[] {
  return pools.flatMap((pool) => {
    const pins: [string | undefined, Path][] = [
      [pool.written.on, [...pool.path, "on"]],
      ...Object.entries(pool.written.nodes).map(([name, node]): [string | undefined, Path] => [
        node.on,
        [...pool.path, "nodes", name, "on"],
      ]),
    ];
    return pins.flatMap(([name, path]): Problem[] => {
      if (name === undefined || cluster.on.length === 0 || cluster.on.includes(name)) return [];
      return [
        {
          code: "SPEC_UNKNOWN_HOST",
          what: `"${name}" is not among the hosts of this cluster`,
          next: adviseName(name, cluster.on),
          position: document.locate(path),
        },
      ];
    });
  });
}

const unknownHost = (name: string, known: string[], position: Problem["position"]): Problem => ({
  code: "SPEC_UNKNOWN_HOST",
  what: `Host "${name}" is not described in this file`,
  next: known.length === 0 ? `Describe it below "hosts:"` : adviseName(name, known),
  position,
});
