import type { KubeNode } from "../../clients/kube/index.ts";
import { stableJson } from "../../lib/index.ts";
import type { FieldChange } from "../../plan/index.ts";

/** What the cluster file says of a node that Kubernetes is to know. */
export interface NodeFacts {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** `EFFECT` or `VALUE:EFFECT`, by key. */
  taints: Record<string, string>;
}

/** Kept on the node, so that what has left the file can be told from what others have put there. */
const markKey = "slipway.dev/node-facts";

interface Mark {
  labels: string[];
  annotations: string[];
  taints: string[];
}

/** What is not as written, in words. Labels and taints of others are none of it. */
export function factChanges(node: KubeNode, facts: NodeFacts): FieldChange[] {
  const mark = markOf(node);
  const { labels = {}, annotations = {} } = node.metadata;
  const taints = taintsOf(node);
  const { name } = node.metadata;
  return [
    ...changed(`label of ${name}`, labels, facts.labels, mark.labels),
    ...changed(`annotation of ${name}`, annotations, facts.annotations, mark.annotations),
    ...changed(`taint of ${name}`, taints, facts.taints, mark.taints),
  ];
}

const changed = (
  field: string,
  have: Record<string, string>,
  want: Record<string, string>,
  marked: string[],
): FieldChange[] => [
  ...Object.entries(want)
    .filter(([key, value]) => have[key] !== value)
    .map(([key, value]) => ({ field, from: asText(key, have[key]), to: asText(key, value) })),
  ...marked
    .filter((key) => !(key in want) && key in have)
    .map((key) => ({ field, from: asText(key, have[key]), to: "none" })),
];

const asText = (key: string, value: string | undefined): string =>
  value === undefined ? "none" : `${key}=${value}`;

/** Whether anything is to be written: what differs, or only whose it is. */
export const isPatched = (node: KubeNode, facts: NodeFacts): boolean =>
  factChanges(node, facts).length > 0 || stableJson(markOf(node)) !== stableJson(markFor(facts));

const markFor = ({ labels, annotations, taints }: NodeFacts): Mark => ({
  labels: Object.keys(labels).toSorted(),
  annotations: Object.keys(annotations).toSorted(),
  taints: Object.keys(taints).toSorted(),
});

/** A merge patch that makes it so, and remembers what is ours. */
export function factPatch(node: KubeNode, facts: NodeFacts): unknown {
  const mark = markOf(node);
  const gone = (marked: string[], want: Record<string, string>): Record<string, null> =>
    Object.fromEntries(marked.filter((key) => !(key in want)).map((key) => [key, null]));
  const others = (node.spec?.taints ?? []).filter(
    ({ key }) => !(key in facts.taints) && !mark.taints.includes(key),
  );
  const wanted = Object.entries(facts.taints).map(([key, taint]) => writtenTaint(key, taint));
  const isTainted = wanted.length > 0 || mark.taints.length > 0;
  return {
    metadata: {
      labels: { ...gone(mark.labels, facts.labels), ...facts.labels },
      annotations: {
        ...gone(mark.annotations, facts.annotations),
        ...facts.annotations,
        [markKey]: stableJson(markFor(facts)),
      },
    },
    spec: isTainted ? { taints: [...others, ...wanted] } : undefined,
  };
}

function markOf(node: KubeNode): Mark {
  try {
    const mark = JSON.parse(node.metadata.annotations?.[markKey] ?? "{}") as Partial<Mark>;
    return { labels: [], annotations: [], taints: [], ...mark };
  } catch {
    return { labels: [], annotations: [], taints: [] };
  }
}

const taintsOf = (node: KubeNode): Record<string, string> =>
  Object.fromEntries(
    (node.spec?.taints ?? []).map(({ key, value, effect }) => [
      key,
      value === undefined || value === "" ? effect : `${value}:${effect}`,
    ]),
  );

function writtenTaint(key: string, taint: string): { key: string; value?: string; effect: string } {
  const at = taint.lastIndexOf(":");
  return at < 0 ? { key, effect: taint } : { key, value: taint.slice(0, at), effect: taint.slice(at + 1) };
}
