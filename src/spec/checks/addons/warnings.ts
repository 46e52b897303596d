import { type AddonDraft, type AddonKind, chooseVersion, isTested, versionLike } from "../../addons/index.ts";
import type { FleetDraft } from "../../complete/draft.ts";
import type { Problem } from "../../source/problem.ts";
import { ofEach } from "./addons.ts";

/** What add-ons will do, but probably not as meant. */
export const addonWarnings = (fleet: FleetDraft, kinds: readonly AddonKind[]): Problem[] =>
  fleet.clusters.flatMap((draft) => [
    ...ofEach(kinds, draft, (kind, own) => untested(kind, own, draft.cluster.kubernetes)),
    ...ofEach(kinds, draft, (kind, own) => kind.warn?.(own, draft, fleet)),
    ...kinds.flatMap((kind) => kind.warnCluster?.(draft) ?? []),
  ]);

function untested(kind: AddonKind, { written, place }: AddonDraft, kubernetes: string): Problem[] {
  if (kubernetes === "" || kind.refusesUntested) return [];
  const usual = chooseVersion(kind.versions, kubernetes);
  const version = written.version ?? usual ?? "";
  const known = versionLike(kind.versions, version);
  if (!known?.kubernetes || isTested(known, kubernetes)) return [];
  const { from, to } = known.kubernetes;
  const range = to === undefined ? `${from} and later` : `${from} to ${to}`;
  const isOther = usual !== undefined && usual !== version;
  return [
    {
      code: "SPEC_ADDON_UNTESTED",
      what: `${kind.name} ${version} is tested with Kubernetes ${range}, the cluster has ${kubernetes}`,
      next: isOther
        ? `Leave version out, and ${usual} is taken`
        : `Choose Kubernetes ${to ?? from}, or try it out first`,
      position: written.version === undefined ? place() : place("version"),
    },
  ];
}
