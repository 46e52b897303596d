import type { Talk } from "../../clients/kube/index.ts";
import { errorData } from "../../errors/index.ts";
import { faultsText, findingOfNodes, type Check, type Finding, type NodeFaults } from "../../plan/index.ts";
import { namesNotForwarded, namesNotResolved, noProbeCouldRun, podsDisconnected } from "./errors.ts";
import { needsWrites } from "./health-facts.ts";
import type { Probes } from "./probes.ts";
import type { NetworkReport } from "./try-network.ts";

/** Pods on every node resolve names of the cluster, and names outside wherever the nodes themselves could. */
export const dnsResolves = (cluster: string, probes: Probes): Check => ({
  id: "dns-resolves",
  title: "DNS resolves",
  failing: "DNS does not resolve",
  needs: needsWrites,
  async run(ctx) {
    const report = await probes.network(ctx);
    const { nodes, unreachable, questions } = report;
    const needed = `${questions.inside.name} from a pod on every node`;
    const all = nodes.length;
    if (all > 0 && Object.keys(unreachable).length === all) {
      const why = faultsText(unreachable);
      const error = errorData(noProbeCouldRun({ cluster, why, image: probes.image }));
      return { status: "failed", needed, found: `no pod of ours came up: ${why}`, error };
    }
    const faults = faultsOf(report);
    const [first, ...others] = Object.values(faults);
    if (first !== undefined && others.length === all - 1 && others.every((why) => why === first)) {
      const error = errorData(namesNotResolved({ cluster, why: `on all ${all} nodes a pod ${first}` }));
      return { status: "failed", needed, found: `on none of ${all} nodes: a pod ${first}`, error };
    }
    const finding = findingOfNodes({ all, needed, faults }, (why) => {
      const nodesAtFault = Object.keys(faults);
      if (nodesAtFault.every((node) => unreachable[node] !== undefined))
        return noProbeCouldRun({ cluster, why, image: probes.image });
      return nodesAtFault.every((node) => isCutOff(report.talks.get(node)))
        ? podsDisconnected({ cluster, why })
        : namesNotResolved({ cluster, why });
    });
    return finding.status === "ok" ? withForwarding(cluster, finding, report) : finding;
  },
});

/** A name nobody answered for says why; a pod that never ran is why nobody asked. */
function faultsOf({ nodes, unreachable, talks, questions }: NetworkReport): NodeFaults {
  return Object.fromEntries(
    nodes.flatMap((node): [string, string][] => {
      const unasked = unreachable[node];
      if (unasked !== undefined) return [[node, unasked]];
      const answer = talks.get(node)?.names.get(questions.inside.name);
      if (isCutOff(talks.get(node))) return [[node, "reaches no pod on another node"]];
      return answer?.by === "cluster" ? [] : [[node, `got no answer: ${answer?.said ?? "it did not ask"}`]];
    }),
  );
}

/** Then it is not DNS that is broken there. */
const isCutOff = (talk: Talk | undefined): boolean =>
  talk !== undefined &&
  talk.peers.size > 0 &&
  [...talk.peers.values()].every((why) => why !== undefined) &&
  [...talk.names.values()].every(({ by }) => by === "nobody");

/** Names outside: wrong only where the server behind the cluster's DNS would have answered. */
function withForwarding(
  cluster: string,
  finding: Finding,
  { talks, questions: { outside } }: NetworkReport,
): Finding {
  if (!outside) return { ...finding, found: `${finding.found ?? ""} nodes; nothing outside is asked for` };
  const { name, upstream } = outside;
  const by = (who: string): string[] =>
    [...talks].filter(([, talk]) => answererOf(talk, name) === who).map(([node]) => node);
  const stuck = by("upstream");
  if (stuck.length > 0 && upstream !== undefined) {
    const why = `${upstream} answers for ${name}, the cluster's own DNS does not pass the question on`;
    const error = errorData(namesNotForwarded({ cluster, why, upstream }));
    return { ...finding, status: "failed", found: `names of the cluster, but none outside: ${why}`, error };
  }
  const forwarded = by("cluster").length;
  if (forwarded === talks.size) return { ...finding, found: `${finding.found ?? ""} nodes, ${name} too` };
  // Without a way out nobody could answer; that is no fault of the cluster's.
  const server = upstream === undefined ? "no server to ask directly is known" : `${upstream} neither`;
  return {
    ...finding,
    status: forwarded > 0 || upstream === undefined ? "warned" : "ok",
    found: `${finding.found ?? ""} nodes; ${name} on ${forwarded} of ${talks.size}, ${server}`,
  };
}

const answererOf = (talk: Talk, name: string): string => talk.names.get(name)?.by ?? "nobody";
