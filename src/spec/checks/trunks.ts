import type { ClusterDraft, FleetDraft } from "../draft.ts";
import type { Problem } from "../problem.ts";
import type { Path } from "../text-places.ts";

/** VLANs that pass a card tagged: each once, and not the one whose tag the host takes off. */
export function checkTrunks({ clusters }: FleetDraft): Problem[] {
  return clusters.flatMap((draft) => [
    ...checkCard(draft, draft.written.network, [...draft.path, "network"]),
    ...draft.pools.flatMap((pool) => [
      ...checkNics(draft, pool.written.nics, pool.path),
      ...Object.entries(pool.written.nodes).flatMap(([name, node]) =>
        checkNics(draft, node.nics, [...pool.path, "nodes", name]),
      ),
    ]),
  ]);
}

interface WrittenCard {
  vlan?: number | undefined;
  trunks?: number[] | undefined;
}

const checkNics = (draft: ClusterDraft, nics: readonly WrittenCard[] | undefined, path: Path): Problem[] =>
  (nics ?? []).flatMap((nic, i) => checkCard(draft, nic, [...path, "nics", i]));

function checkCard({ document }: ClusterDraft, { vlan, trunks = [] }: WrittenCard, path: Path): Problem[] {
  return trunks.flatMap((tag, i): Problem[] => {
    const position = document.locate([...path, "trunks", i]);
    if (tag === vlan) {
      const what = `VLAN ${tag} is the card's own: the host takes its tag off, so it cannot pass tagged as well`;
      return [{ code: "SPEC_CHOOSE_ONE", what, next: `Remove ${tag} from trunks, or vlan`, position }];
    }
    if (trunks.indexOf(tag) === i) return [];
    return [
      { code: "SPEC_NAME_TWICE", what: `VLAN ${tag} stands twice in trunks`, next: "Keep one", position },
    ];
  });
}
