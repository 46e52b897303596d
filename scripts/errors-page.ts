import { clusterFileMistakes, declaredErrors, wordingsOf, type Wording } from "./list-errors.ts";

const intro = `# Errors

<!-- Made by scripts/generate-errors.ts from the code. Change the code, then run "npm run docs". -->

Every error has a code that never changes its meaning, so that you can search for it and scripts can rely on it. Each
code is listed with its text: \`what\` could not be done, \`why\`, what to do \`next\`, and sometimes something \`else\` to do
instead. Values appear as \`<name>\`. Where the text depends on the case, the cases follow one another. With \`--json\` the
same parts are the fields of \`error\`.

Mistakes in the cluster file have no \`why\`: they are shown with their line, column and an excerpt. They are listed here
with the values of an example.
`;

/** By the first part of the code, in the order in which a newcomer meets them. */
const areas: Record<string, string> = {
  SPEC: "The cluster file and the command line",
  RUN: "A run as a whole",
  PVE: "Proxmox VE",
  LIBVIRT: "libvirt",
  IMAGE: "Images",
  FACTORY: "The image factory",
  TALOS: "Talos",
  K3S: "K3s",
  KUBE: "Kubernetes",
  VERIFY: "Health of a cluster",
  SECRETS: "Secrets",
  PKI: "Keys and certificates",
  SIM: "The simulated datacenter",
  SLIPWAY: "Slipway itself",
};

/** All wordings of all errors. */
export async function errorWordings(): Promise<Wording[]> {
  return [...(await declaredErrors()).flatMap(wordingsOf), ...clusterFileMistakes()];
}

/** The reference page of errors. */
export async function errorsPage(): Promise<string> {
  const wordings = await errorWordings();
  const codes = [...new Set(wordings.map(({ code }) => code))].toSorted();
  const areaOf = (code: string): string => code.split("_")[0] ?? "";
  const named = new Set([...Object.keys(areas), ...codes.map(areaOf)]);
  const sections = [...named].flatMap((area) => {
    const own = codes.filter((code) => areaOf(code) === area);
    return own.length === 0
      ? []
      : [`## ${areas[area] ?? area}\n`, ...own.map((code) => entry(code, wordings))];
  });
  return [intro, ...sections].join("\n");
}

function entry(code: string, all: Wording[]): string {
  const blocks = all.filter((wording) => wording.code === code).map(wordingLines);
  return `### ${code}\n\n\`\`\`text\n${[...new Set(blocks)].join("\n\n")}\n\`\`\`\n`;
}

const wordingLines = (wording: Wording): string =>
  (["what", "why", "next", "else"] as const)
    .flatMap((name) => (wording[name] === undefined ? [] : [`${name.padEnd(5)} ${wording[name]}`]))
    .join("\n");
