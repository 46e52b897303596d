import { errorData, type SlipwayError } from "../errors/index.ts";
import type { Finding } from "./check.ts";

/** What is wrong with single nodes, by name. */
export type NodeFaults = Record<string, string>;

/**
 * `5 of 6`, with the nodes to blame; the error tells what is wrong with them. Nodes in `mute` could not be asked: another
 * check tells of their trouble, and this one does not call them well.
 */
export function findingOfNodes(
  facts: { all: number; needed: string; faults: NodeFaults; mute?: NodeFaults; good?: string | undefined },
  explain: (faults: string) => SlipwayError,
): Finding {
  const { all, needed, faults, mute = {}, good } = facts;
  const bad = Object.keys(faults).length;
  const unasked = Object.keys(mute).length;
  const found = `${all - bad - unasked} of ${all}`;
  if (bad === 0 && unasked > 0) return { status: "warned", needed, found, nodes: mute };
  if (bad === 0) return { status: "ok", needed, found: good === undefined ? found : `${found}, ${good}` };
  const error = errorData(explain(faultsText(faults)));
  return { status: "failed", needed, found, nodes: { ...mute, ...faults }, error };
}

/** `cp-3 does not answer, worker-1 and worker-2 are not Ready`: nodes with the same fault stand together. */
export function faultsText(faults: NodeFaults, most = 3): string {
  const groups = new Map<string, string[]>();
  for (const [node, why] of Object.entries(faults)) groups.set(why, [...(groups.get(why) ?? []), node]);
  const told = [...groups]
    .slice(0, most)
    .map(([why, nodes]) => `${nodesText(nodes)} ${nodes.length === 1 ? why : ofSeveral(why)}`);
  const rest = groups.size - told.length;
  return [...told, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}

const plurals: Record<string, string> = { is: "are", has: "have", does: "do", was: "were" };

/** A fault is worded for one node: `has no address`. Other verbs lose their last letter. */
function ofSeveral(why: string): string {
  const [verb = ""] = why.split(" ", 1);
  const plural =
    plurals[verb] ??
    (/^(?:answers|runs|says|lacks|holds|wants|waits)$/.test(verb) ? verb.slice(0, -1) : verb);
  return plural + why.slice(verb.length);
}

/** `cp-1, cp-2, cp-3 and 4 more`. */
export const nodesText = (nodes: string[], most = 3): string =>
  nodes.length <= most
    ? nodes.join(", ")
    : `${nodes.slice(0, most).join(", ")} and ${nodes.length - most} more`;

/** The one node that everything which is not ok comes from, if there is one. */
export function onlyCause(findings: Pick<Finding, "status" | "nodes" | "because">[]): string | undefined {
  const bad = findings.filter(({ status }) => status === "failed" || status === "warned");
  if (!bad.every(({ nodes }) => nodes !== undefined)) return undefined;
  const names = new Set(bad.flatMap(({ nodes }) => Object.keys(nodes ?? {})));
  return names.size === 1 ? [...names][0] : undefined;
}
