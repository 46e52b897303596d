import { badRequest } from "./api-error.ts";
import { digText, type KubeObject } from "./object.ts";

export type Matches = (object: KubeObject) => boolean;

const labelTerm =
  /^\s*(?:(!)\s*)?([A-Za-z0-9./_-]+)\s*(?:(=|==|!=)\s*([A-Za-z0-9._-]*)|\s(in|notin)\s*\(([^)]*)\))?\s*$/;

/** `a=b,c!=d,e in (f,g),h,!i`, as in `kubectl -l`. */
export function labelSelector(text: string): Matches {
  const terms = splitTerms(text).map(labelTest);
  return (object) => terms.every((test) => test(object.metadata.labels ?? {}));
}

function labelTest(term: string): (labels: Record<string, string>) => boolean {
  const found = labelTerm.exec(term);
  if (!found) throw badRequest(`unable to parse requirement: "${term}"`);
  const [, not, name = "", sign, value = "", within, list = ""] = found;
  if (not) return (labels) => labels[name] === undefined;
  if (sign === "!=") return (labels) => labels[name] !== value;
  if (sign) return (labels) => labels[name] === value;
  if (!within) return (labels) => labels[name] !== undefined;
  const values = list.split(",").map((item) => item.trim());
  return (labels) => values.includes(labels[name] ?? "\0") === (within === "in");
}

/** Commas separate terms, except inside parentheses. */
const splitTerms = (text: string): string[] =>
  text.split(/,(?![^(]*\))/).filter((term) => term.trim() !== "");

/** `metadata.name=x,status.phase!=Running`. Any path of plain fields may be asked for. */
export function fieldSelector(text: string): Matches {
  const terms = splitTerms(text).map((term) => {
    const found = /^\s*([\w.]+?)\s*(==|=|!=)\s*(.*?)\s*$/.exec(term);
    if (!found) throw badRequest(`invalid field selector: "${term}"`);
    const [, path = "", sign, value] = found;
    const steps = path.split(".");
    return (object: KubeObject) => (digText(object, ...steps) === value) === (sign !== "!=");
  });
  return (object) => terms.every((test) => test(object));
}

/** A `matchLabels`/`matchExpressions` selector as written in workloads. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export function matchesLabels(selector: LabelSelector | undefined, labels: Record<string, string>): boolean {
  const isEqual = Object.entries(selector?.matchLabels ?? {}).every(
    ([name, value]) => labels[name] === value,
  );
  return (
    isEqual &&
    (selector?.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      if (operator === "Exists") return labels[key] !== undefined;
      if (operator === "DoesNotExist") return labels[key] === undefined;
      return values.includes(labels[key] ?? "\0") === (operator === "In");
    })
  );
}
