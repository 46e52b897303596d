import { refusal } from "../api-error.ts";
import { nodeNames, type Cluster } from "../cluster.ts";
import { splitList } from "../parameters/formats.ts";
import type { HaRule } from "./state.ts";

/** What a call says about a rule. */
export interface RuleWish {
  type: HaRule["type"];
  resources?: string;
  nodes?: string;
  strict?: boolean;
  affinity?: "positive" | "negative";
  comment?: string;
  disable?: boolean;
}

/** The rule with what the call changes in it. */
export function ruleWith(rule: HaRule | undefined, wish: RuleWish): HaRule {
  const { resources, nodes, ...plain } = wish;
  return {
    ...rule,
    ...plain,
    resources:
      resources === undefined ? (rule?.resources ?? []) : [...new Set(splitList(resources))].toSorted(),
    ...(nodes !== undefined && { nodes: parseNodes(nodes) }),
  };
}

/** `pve1:2,pve2`: a higher number is preferred. */
function parseNodes(text: string): Record<string, number> {
  return Object.fromEntries(
    splitList(text).map((part) => {
      const [name = "", priority = "0"] = part.split(":");
      return [name, Number(priority)];
    }),
  );
}

const printNodes = (nodes: Record<string, number>): string =>
  Object.keys(nodes)
    .toSorted()
    .map((name) => (nodes[name] ? `${name}:${nodes[name]}` : name))
    .join(",");

/** Throws where a rule cannot be taken at all. */
export function demandRule(cluster: Cluster, name: string, rule: HaRule, doing: string): void {
  const strangers = rule.resources.filter((sid) => !cluster.state.ha.resources[sid]);
  if (strangers.length > 0) {
    throw refusal(`${doing} failed: cannot use unmanaged resource(s) ${strangers.join(", ")}.`);
  }
  const unknown = Object.keys(rule.nodes ?? {}).filter((node) => !nodeNames(cluster).includes(node));
  if (unknown.length > 0) {
    throw refusal(`${doing} failed: cannot use non-existent node(s) ${unknown.join(", ")}.`);
  }
  const problems = ruleProblems(cluster, name, rule);
  if (problems.length === 0) return;
  throw refusal(`${doing} failed: 400 Rule '${name}' is invalid.\nresources: ${problems.join(", ")}`);
}

/** Why a rule has no effect, or cannot be followed. */
export function ruleProblems(cluster: Cluster, name: string, rule: HaRule): string[] {
  if (rule.disable) return [];
  const others = Object.entries(cluster.state.ha.rules).filter(
    ([other, it]) => other !== name && !it.disable,
  );
  const shares = (other: HaRule) => other.resources.filter((sid) => rule.resources.includes(sid)).length;
  if (rule.type === "node-affinity") {
    const isTaken = others.some(([, other]) => other.type === "node-affinity" && shares(other) > 0);
    return isTaken ? ["resource is already used in another node affinity rule"] : [];
  }
  const isUneven = others.some(
    ([, other]) =>
      other.type === "node-affinity" &&
      shares(other) > 0 &&
      new Set(Object.values(other.nodes ?? {})).size > 1,
  );
  const contradicts = others.some(
    ([, other]) =>
      other.type === "resource-affinity" && other.affinity !== rule.affinity && shares(other) > 1,
  );
  return [
    ...(rule.resources.length < 2 ? ["rule is ineffective as there are less than two resources"] : []),
    ...(rule.affinity === "negative" && rule.resources.length > nodeNames(cluster).length
      ? ["rule defines more resources than available nodes"]
      : []),
    ...(contradicts ? ["rule shares two or more resources with another resource affinity rule"] : []),
    ...(isUneven ? ["resources are in node affinity rules with multiple priorities"] : []),
  ];
}

/** A rule as the API shows it. */
export function ruleView(cluster: Cluster, name: string, rule: HaRule): Record<string, unknown> {
  const problems = ruleProblems(cluster, name, rule);
  return {
    rule: name,
    type: rule.type,
    resources: rule.resources.join(","),
    order: Object.keys(cluster.state.ha.rules).indexOf(name) + 1,
    nodes: rule.nodes ? printNodes(rule.nodes) : undefined,
    affinity: rule.affinity,
    comment: rule.comment,
    strict: rule.strict === undefined ? undefined : rule.strict ? 1 : 0,
    disable: rule.disable === undefined ? undefined : rule.disable ? 1 : 0,
    errors: problems.length > 0 ? { resources: problems } : undefined,
  };
}

const rulesAbout = (cluster: Cluster, sid: string, type: HaRule["type"]): HaRule[] =>
  Object.entries(cluster.state.ha.rules)
    .filter(
      ([name, rule]) => rule.type === type && !rule.disable && ruleProblems(cluster, name, rule).length === 0,
    )
    .map(([, rule]) => rule)
    .filter((rule) => rule.resources.includes(sid));

/** What keeps a machine under high availability off a node, as 9 tells it. */
export function blockersOn(
  cluster: Cluster,
  vmid: number,
  node: string,
): { sid: string; cause: HaRule["type"] }[] {
  const sid = `vm:${vmid}`;
  if (cluster.version === 8 || !cluster.state.ha.resources[sid]) return [];
  const apart = rulesAbout(cluster, sid, "resource-affinity")
    .filter(({ affinity }) => affinity === "negative")
    .flatMap(({ resources }) => resources)
    .filter((other) => other !== sid && cluster.state.vms[other.slice("vm:".length)]?.node === node)
    .map((other) => ({ sid: other, cause: "resource-affinity" as const }));
  const isOutside = rulesAbout(cluster, sid, "node-affinity").some(
    ({ strict, nodes = {} }) => strict === true && nodes[node] === undefined,
  );
  return [...apart, ...(isOutside ? [{ sid, cause: "node-affinity" as const }] : [])];
}

/** Machines that a rule keeps together with it. */
export const companions = (cluster: Cluster, vmid: number): string[] => {
  const sid = `vm:${vmid}`;
  const together = rulesAbout(cluster, sid, "resource-affinity").filter(
    ({ affinity }) => affinity === "positive",
  );
  return [...new Set(together.flatMap(({ resources }) => resources))]
    .filter((other) => other !== sid)
    .toSorted();
};
