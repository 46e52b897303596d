import type { AddonDraft, Problem } from "../../spec/index.ts";
import { gitProblems } from "../common/index.ts";
import { repositoryOf, type WrittenFlux } from "./options.ts";

const beside = ["url", "branch", "path", "credentials"] as const;

export function checkFlux({ written, place, isWritten }: AddonDraft<WrittenFlux>): Problem[] {
  const { repository } = written;
  const [twice] = repository ? beside.filter((field) => written[field] !== undefined) : [];
  if (twice !== undefined)
    return [
      {
        code: "SPEC_CHOOSE_ONE",
        what: `"${twice}" stands beside repository, and belongs into it`,
        next: `Write it as repository: { ${twice}: … }, and remove the other`,
        position: place(twice),
      },
    ];
  if (!isWritten("repository") && !isWritten("url"))
    return [
      {
        code: "SPEC_MISSING_FIELD",
        what: "Flux has no repository",
        next: "Add repository: { url: https://HOST/PATH.git }",
        position: place(),
      },
    ];
  const git = repositoryOf(written);
  // What is wrong with its address was said before.
  if (git.url === "") return [];
  return gitProblems(git, (...field) => place(...(repository ? ["repository"] : []), ...field));
}
