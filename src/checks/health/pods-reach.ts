import { errorData } from "../../errors/index.ts";
import { nodesText, type Check, type Finding } from "../../plan/index.ts";
import { podsDisconnected } from "./errors.ts";
import { needsWrites } from "./health-facts.ts";
import type { Probes } from "./probes.ts";
import type { NetworkReport } from "./try-network.ts";

/** Pods reach pods over every pair of nodes, or over a choice of pairs in large clusters. */
export const podsReach = (cluster: string, probes: Probes): Check => ({
  id: "pods-reach",
  title: "Pod reaches pod",
  failing: "Pods do not reach each other",
  needs: needsWrites,
  async run(ctx): Promise<Finding> {
    const report = await probes.network(ctx);
    const needed = report.isSampled ? "a sample of all pairs of nodes" : "every pair of nodes, both ways";
    const tried = pairsOf(report);
    if (report.talks.size === 0 && report.nodes.length > 0)
      return {
        status: "skipped",
        needed,
        because: "dns-resolves",
        found: "no pod of ours came up, as above",
      };
    if (tried.length === 0)
      return { status: "skipped", needed, found: "there are no two nodes to try it with" };
    const broken = tried.filter(({ why }) => why !== undefined);
    const count = `${tried.length - broken.length} of ${tried.length} pairs${sampleText(report, tried.length)}`;
    const [first] = broken;
    if (!first) return { status: "ok", needed, found: count };
    const listed = nodesText(broken.map(({ from, to }) => `${from} to ${to}`));
    const error = errorData(podsDisconnected({ cluster, why: `${listed}: ${first.why ?? ""}` }));
    const lonely = lonelyNode(broken, tried);
    return lonely === undefined
      ? { status: "failed", needed, found: `${count}: ${listed}`, error }
      : { status: "failed", needed, found: count, nodes: { [lonely]: "reaches no other node" }, error };
  },
});

interface Pair {
  from: string;
  to: string;
  why: string | undefined;
}

const pairsOf = ({ talks }: NetworkReport): Pair[] =>
  [...talks].flatMap(([from, { peers }]) => [...peers].map(([to, why]) => ({ from, to, why })));

const sampleText = ({ isSampled, talks }: NetworkReport, tried: number): string =>
  isSampled ? `, a sample of ${talks.size * (talks.size - 1)}: each node asks ${tried / talks.size}` : "";

/** The node that no other reaches, when that explains everything; a pair alone has two sides. */
function lonelyNode(broken: Pair[], tried: Pair[]): string | undefined {
  const isOf = (node: string) => (pair: Pair) => pair.from === node || pair.to === node;
  const suspects = [...new Set(broken.flatMap(({ from, to }) => [from, to]))].filter(
    (node) => broken.every(isOf(node)) && tried.filter(isOf(node)).every(({ why }) => why !== undefined),
  );
  return suspects.length === 1 ? suspects[0] : undefined;
}
