/** Why a node does not take a config, in the words of the node. */
export class ConfigProblems extends Error {
  override readonly name = "ConfigProblems";
}

/** Several errors as one text, as the node lists them. */
export function listProblems(problems: string[]): string {
  const count = problems.length === 1 ? "1 error" : `${problems.length} errors`;
  return `${count} occurred:\n${problems.map((problem) => `\t* ${problem}\n`).join("")}\n`;
}

/** Throws when the main document or the config as a whole has problems: those of the document stand inside one of the whole. */
export function throwProblems(ofMain: string[], ofWhole: string[] = []): void {
  const all = [...(ofMain.length === 0 ? [] : [`v1alpha1.Config: ${listProblems(ofMain)}`]), ...ofWhole];
  if (all.length > 0) throw new ConfigProblems(listProblems(all));
}
