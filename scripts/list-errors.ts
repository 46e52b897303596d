import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { ErrorDefinition } from "../src/errors/index.ts";
import { addons } from "../src/addons/index.ts";
import { parseFleet } from "../src/spec/index.ts";
import { placeholder } from "./placeholder.ts";

const source = path.resolve(import.meta.dirname, "../src");

/** One way an error is worded. Mistakes in the cluster file have no `why`. */
export interface Wording {
  code: string;
  what: string;
  why?: string | undefined;
  next: string;
  else?: string | undefined;
  /** The same error under particular facts. */
  isVariant: boolean;
}

type AnyDefinition = ErrorDefinition<never[]>;

/** Every error that is declared in a file named `…errors.ts`. */
export async function declaredErrors(): Promise<AnyDefinition[]> {
  const files = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|[/\\-])errors\.ts$/.test(file))
    .toSorted();
  const modules = await Promise.all(files.map((file) => import(path.join(source, file)) as Promise<object>));
  return [...new Set(modules.flatMap(definitionsIn))];
}

/** Definitions are exported one by one, or in tables. */
function definitionsIn(value: unknown): AnyDefinition[] {
  if (isDefinition(value)) return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, each]) => definitionsIn(each));
}

const isDefinition = (value: unknown): value is AnyDefinition =>
  typeof value === "function" && "code" in value && "text" in value && "variants" in value;

/** What a declared error says, with `<name>` where a fact stands: plainly, and once more for each variant. */
export function wordingsOf<Facts extends unknown[]>(definition: ErrorDefinition<Facts>): Wording[] {
  const { code, text, variants } = definition;
  const names = parameterNames(text);
  return [[], ...variants].map((given: readonly unknown[], index) => {
    const facts = Array.from({ length: Math.max(names.length, given.length) }, (_, place) =>
      place in given && given[place] === undefined
        ? undefined
        : placeholder(names[place] ?? "other", given[place]),
    );
    const said = text(...(facts as Facts));
    return {
      code,
      what: shown(said.what),
      why: shown(said.why),
      next: shown(said.next),
      else: said.else === undefined ? undefined : shown(said.else),
      isVariant: index > 0,
    };
  });
}

/** A part may be a placeholder as a whole; what was computed from one is a number without a name. */
const shown = (part: unknown): string => String(part).replaceAll("NaN", "<number>");

const parameterNames = (text: (...facts: never[]) => unknown): string[] =>
  (/^\(?([^)=]*)/.exec(String(text))?.[1] ?? "").split(",").flatMap((each) => /^\w+/.exec(each.trim()) ?? []);

/** The mistakes that the examples of wrong cluster files hold, as they are told: one of each kind. */
export function clusterFileMistakes(): Wording[] {
  const folder = path.join(source, "spec/testdata");
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .toSorted()
    .map((file) => readFileSync(path.join(folder, file), "utf8"));
  const problems = [...texts, tooManyHosts].flatMap((text) => {
    const parsed = parseFleet({ file: "cluster.yaml", text }, { addons });
    return "problems" in parsed ? parsed.problems : parsed.warnings;
  });
  const kinds = new Map(
    problems.map(({ code, what, next }) => [kindOf(code, what), { code, what, next, isVariant: false }]),
  );
  return [...kinds.values()];
}

/** The one mistake that is too long for an example. */
const tooManyHosts = `version: 1\nhosts:\n${Array.from({ length: 1001 }, (_, index) => `  h${index}: {}`).join("\n")}\n`;

/** The same mistake with other values is the same kind. */
const kindOf = (code: string, what: string): string => `${code} ${what.replaceAll(/"[^"]*"|\S*\d\S*/g, "…")}`;
