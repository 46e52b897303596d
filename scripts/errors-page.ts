import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { readErrors, type Wording } from "./read-errors.ts";

const source = path.resolve(import.meta.dirname, "../src");

const intro = `# Errors

<!-- Made by scripts/generate-errors.ts from the code. Change the code, then run "npm run docs". -->

Every error has a code that never changes its meaning, so that you can search for it and scripts can rely on it. Below
stand the words it comes with: \`what\` could not be done, \`why\`, and what to do \`next\`. Values stand as \`<name>\`,
a choice of words as \`<one | other>\`, and what is said only sometimes as \`[so]\`. With \`--json\` the same parts are
the fields of \`error\`.

Mistakes in the cluster file have no \`why\`: they are shown with their line, column and an excerpt instead.
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

/** All wordings of all errors in the code, in the order of the files. */
export function errorWordings(): Wording[] {
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("/gen/"))
    .toSorted()
    .flatMap((file) => readErrors(readFileSync(path.join(source, file), "utf8")));
}

/** The reference page of errors. */
export function errorsPage(): string {
  const wordings = errorWordings();
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
  const blocks = all
    .filter((wording) => wording.code === code)
    .map(wordingLines)
    .filter((text) => text !== "");
  return `### ${code}\n\n\`\`\`text\n${[...new Set(blocks)].join("\n\n")}\n\`\`\`\n`;
}

const wordingLines = (wording: Wording): string =>
  (["what", "why", "next", "else"] as const)
    .flatMap((name) => (wording[name] === undefined ? [] : [`${name.padEnd(5)} ${wording[name]}`]))
    .join("\n");
