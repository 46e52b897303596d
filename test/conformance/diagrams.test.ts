import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { writeDiagram } from "../../src/exports/graph/index.ts";
import { evilDiagrams } from "../support/graph/evil-diagrams.ts";
import { peers } from "../support/peers.ts";
import {
  findD2,
  findMermaid,
  howToGetD2,
  howToGetMermaid,
  openMermaid,
  refusalOfD2,
} from "../support/programs/diagrams.ts";

/** The texts that the goldens hold: every example in every view, a plan, and what exists. */
const cliData = path.resolve(import.meta.dirname, "../cli/testdata/graph");
const rehearsalData = path.resolve(import.meta.dirname, "../rehearsal/testdata/graph");

function textsOf(format: "mermaid" | "d2", ending: string): { name: string; text: string }[] {
  const ofExamples = readdirSync(cliData)
    .filter((name) => name.endsWith(`.${format}.txt`))
    .flatMap((name) =>
      readFileSync(path.join(cliData, name), "utf8")
        .split(/^== /m)
        .filter((part) => part !== "")
        .map((part) => ({ name, text: part.slice(part.indexOf("\n") + 1) })),
    );
  const others = readdirSync(rehearsalData)
    .filter((name) => name.endsWith(ending))
    .map((name) => ({ name, text: readFileSync(path.join(rehearsalData, name), "utf8") }));
  return [...ofExamples, ...others];
}

const d2 = findD2();

test.skipIf(!d2)(`d2 takes every text that is written for it (${howToGetD2})`, peers, async () => {
  const program = d2 ?? "";
  expect(refusalOfD2(program, "a: {")).toBeDefined();
  const texts = textsOf("d2", ".d2");
  expect(texts.length).toBeGreaterThan(30);
  const evilTexts = await Promise.all(evilDiagrams.map((diagram) => writeDiagram(diagram, "d2")));
  for (const { name, text } of [...texts, ...evilTexts.map((each) => ({ name: each, text: each }))])
    expect(refusalOfD2(program, text), name).toBeUndefined();
});

const mermaid = findMermaid();

test.skipIf(!mermaid)(
  `Mermaid takes every text that is written for it (${howToGetMermaid})`,
  peers,
  async () => {
    const refusalOf = await openMermaid(mermaid ?? "");
    expect(await refusalOf("flowchart TB\n  subgraph a[")).toBeDefined();
    const texts = textsOf("mermaid", ".mmd");
    expect(texts.length).toBeGreaterThan(30);
    const evilTexts = await Promise.all(evilDiagrams.map((diagram) => writeDiagram(diagram, "mermaid")));
    for (const { name, text } of [...texts, ...evilTexts.map((each) => ({ name: each, text: each }))])
      expect(await refusalOf(text), name).toBeUndefined();
  },
);
