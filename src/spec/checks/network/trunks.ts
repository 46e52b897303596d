import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import type { Problem } from "../../source/problem.ts";
import type { Path } from "../../source/positions.ts";

/** VLANs that pass a card tagged: each once, and not the one whose tag the host takes off. */
export function checkTrunks({ clusters }: FleetDraft): Problem[] {
  return clusters.flatMap((draft) => [
    ...checkNic(draft, draft.written.network, [...draft.path, "network"]),
    ...draft.pools.flatMap((pool) => [
      ...checkNics(draft, pool.written.nics, pool.path),
      ...Object.entries(pool.written.nodes).flatMap(([name, node]) =>
        checkNics(draft, node.nics, [...pool.path, "nodes", name]),
      ),
    ]),
  ]);
}

interface WrittenNic {
  vlan?: number | undefined;
  trunks?: number[] | undefined;
}

const checkNics = (draft: ClusterDraft, nics: readonly WrittenNic[] | undefined, path: Path): Problem[] =>
  (nics ?? []).flatMap((nic, i) => checkNic(draft, nic, [...path, "nics", i]));

function checkNic({ document }: ClusterDraft, { vlan, trunks = [] }: WrittenNic, path: Path): Problem[] {
  return trunks.flatMap((tag, i): Problem[] => {
    const position = document.locate([...path, "trunks", i]);
    if (tag === vlan) {
      const what = `VLAN ${tag} is the NIC's own: the host takes its tag off, so it cannot pass tagged as well`;
      return [{ code: "SPEC_CHOOSE_ONE", what, next: `Remove ${tag} from trunks, or vlan`, position }];
    }
    if (trunks.indexOf(tag) === i) return [];
    return [
      { code: "SPEC_NAME_TWICE", what: `VLAN ${tag} is listed twice in trunks`, next: "Keep one", position },
    ];
  });
}
