import { type AddonDraft, addonDrafts, type AddonKind } from "../../addons/index.ts";
import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import { adviseName } from "../../schema/fields/one-of.ts";
import type { Problem } from "../../source/problem.ts";
import { elsewhere } from "../elsewhere.ts";

/** Add-ons against each other, and what each of them has to say. */
export const checkAddons = (fleet: FleetDraft, kinds: readonly AddonKind[]): Problem[] =>
  fleet.clusters.flatMap((draft) => [
    ...idsTwice(draft),
    ...unknownBefore(draft),
    ...inCircles(draft),
    ...ofEach(kinds, draft, (kind, own) => kind.check?.(own, draft, fleet)),
  ]);

/** What kinds of add-ons say of those of theirs that a file names. */
export const ofEach = (
  kinds: readonly AddonKind[],
  draft: ClusterDraft,
  ask: (kind: AddonKind, own: AddonDraft) => Problem[] | undefined,
): Problem[] => {
  const drafts = addonDrafts(draft);
  return kinds.flatMap((kind) =>
    drafts.filter(({ addon }) => addon.name === kind.name).flatMap((own) => ask(kind, own) ?? []),
  );
};

const idOf = ({ addon }: AddonDraft): string => addon.id;

function idsTwice(draft: ClusterDraft): Problem[] {
  const seen = new Map<string, Problem["position"]>();
  return addonDrafts(draft).flatMap((own): Problem[] => {
    const { id, name } = own.addon;
    const isOwn = id !== name;
    const position = isOwn ? own.place("name") : own.place();
    const before = seen.get(id);
    if (!before) {
      seen.set(id, position);
      return [];
    }
    const what = isOwn
      ? `Another add-on is called "${id}" as well ${elsewhere(before, position)}`
      : `Add-on "${id}" is named twice`;
    const next = isOwn ? "Give one of the two another name" : "Keep one of the two";
    return [{ code: "SPEC_NAME_TWICE", what, next, position }];
  });
}

const afterOf = ({ addon }: AddonDraft): string[] => addon.facts.comesAfter ?? [];

function unknownBefore(draft: ClusterDraft): Problem[] {
  // Those that come along are there as well.
  const ids = draft.cluster.addons.map((addon) => addon.id);
  return addonDrafts(draft).flatMap((own) =>
    afterOf(own).flatMap((id, i): Problem[] =>
      ids.includes(id)
        ? []
        : [
            {
              code: "SPEC_UNKNOWN_ADDON",
              what: `Add-on "${id}" is none of this cluster`,
              next: adviseName(
                id,
                ids.filter((known) => known !== idOf(own)),
              ),
              position: own.place("after", i),
            },
          ],
    ),
  );
}

function inCircles(draft: ClusterDraft): Problem[] {
  const addons = addonDrafts(draft);
  const before = new Map(addons.map((addon) => [idOf(addon), afterOf(addon)]));
  const leadsTo = (from: string, to: string, seen = new Set<string>()): boolean =>
    (before.get(from) ?? []).some((id) => id === to || (!seen.has(id) && leadsTo(id, to, seen.add(id))));
  const circle = addons.find((addon) => leadsTo(idOf(addon), idOf(addon)));
  if (!circle) return [];
  return [
    {
      code: "SPEC_ADDON_CIRCLE",
      what: `Add-on "${idOf(circle)}" would have to come before itself`,
      next: "Take one of the names out of after:",
      position: circle.place("after"),
    },
  ];
}
