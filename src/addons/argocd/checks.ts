import type { AddonDraft, ClusterDraft, Problem } from "../../spec/index.ts";
import { gitProblems } from "../common/index.ts";
import type { WrittenArgocd } from "./options.ts";

export function checkArgocd({ written: { repository }, place }: AddonDraft<WrittenArgocd>): Problem[] {
  if (!repository) return [];
  if (repository.branch !== undefined && repository.revision !== undefined)
    return [
      {
        code: "SPEC_CHOOSE_ONE",
        what: "A branch and a revision are given, and one is followed",
        next: "Keep branch, or revision for a tag or commit",
        position: place("repository", "revision"),
      },
    ];
  return gitProblems(repository, (...field) => place("repository", ...field));
}

/** Two of a kind, of which each thinks that the cluster is its own. */
export function argocdWarnings(
  { addon, place }: AddonDraft<WrittenArgocd>,
  { cluster }: ClusterDraft,
): Problem[] {
  const other = cluster.addons.find(({ id, facts }) => facts.gitOps !== undefined && id !== addon.id);
  if (!other) return [];
  return [
    {
      code: "SPEC_TWO_GITOPS",
      what: `${other.facts.gitOps} and Argo CD both keep this cluster: what both of them apply will change back and forth`,
      next: "Take one of them out, or see that their repositories have nothing in common",
      position: place(),
    },
  ];
}
