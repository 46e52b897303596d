import { DataDocument, dataPosition } from "./data-document.ts";
import type { Path } from "./positions.ts";
import { type Fault, mostEntries, type Problem, tooManyEntries } from "./problem.ts";
import type { ReadSource } from "./read-yaml.ts";
import { isRecord } from "./value-at.ts";

/** As many as a YAML file may unfold to. */
const mostValues = 200_000;

/** Takes what a program made for a cluster file, as far as YAML could say the same. `undefined` is as good as left out. */
export function readData(file: string, data: unknown): ReadSource {
  const problems: Problem[] = [];
  const report = (path: Path, fault: Fault): null => {
    problems.push({ ...fault, position: dataPosition(file, path) });
    return null;
  };
  let valuesLeft = mostValues;
  const copy = (value: unknown, path: Path, inside: readonly unknown[]): unknown => {
    valuesLeft -= 1;
    if (valuesLeft < 0) return valuesLeft === -1 ? report(path, tooMuch) : null;
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number")
      return Number.isFinite(value) ? value : report(path, notData(String(value)));
    if (inside.includes(value)) return report(path, inItself);
    const below = [...inside, value];
    if (Array.isArray(value)) return value.map((item, i) => copy(item ?? null, [...path, i], below));
    if (!isPlain(value)) return report(path, notData(kindOf(value)));
    const fields = Object.entries(value).filter(([, each]) => each !== undefined);
    return Object.fromEntries(fields.map(([name, each]) => [name, copy(each, [...path, name], below)]));
  };
  const copied = copy(data, [], []);
  if (problems.length > 0) return { problems };
  if (!isRecord(copied)) {
    report([], notAMap);
    return { problems };
  }
  for (const section of ["hosts", "clusters"] as const) {
    const entries = copied[section];
    const count = isRecord(entries) ? Object.keys(entries).length : 0;
    if (count > mostEntries) report([section], tooManyEntries(count, section));
  }
  return problems.length > 0 ? { problems } : { problems, document: new DataDocument(file, copied) };
}

/** Made with braces, by whichever part of the program. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const kindOf = (value: unknown): string =>
  typeof value === "object" ? `A ${value?.constructor.name ?? "class"}` : `A ${typeof value}`;

const notData = (kind: string): Fault => ({
  code: "SPEC_WRONG_TYPE",
  what: `${kind} cannot stand in a cluster file`,
  next: "Give a text, a number, true or false, a list, or a map of these",
});

const inItself: Fault = {
  code: "SPEC_WRONG_TYPE",
  what: "This value contains itself",
  next: "Give a copy that ends",
};

const tooMuch: Fault = {
  code: "SPEC_TOO_MANY",
  what: `More than ${mostValues} values are too many for one file`,
  next: "Write several files, each in a folder of its own, and name one with -f",
};

const notAMap: Fault = {
  code: "SPEC_WRONG_TYPE",
  what: "The file is not a map of fields",
  next: "Give an object with version: 1, hosts and clusters",
};
