import { workloadState, type KubeNode, type KubePod } from "../../../clients/kube/index.ts";
import { errorData } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import { podsOf, type KubeFacts, type Workload } from "../kube-facts.ts";
import { dnsMissing, dnsUnreachable, podNetworkBroken } from "./errors.ts";
import { isOnPodNetwork } from "./network.ts";
import { kubernetesOf, orWhy, type Inspection } from "../inspection.ts";
import { no, unknown, yes, type Question } from "../question.ts";
import { troubleOf } from "../workloads/trouble.ts";
import { short, withoutPlace } from "../text.ts";

const patienceMs = 3_000;

/** CoreDNS runs and says that it is ready, asked through the API server: reading, nothing is made. */
export const dnsReady: Question = {
  id: "dns-ready",
  title: "Is cluster DNS ready?",
  async ask(inspection) {
    const kube = await inspection.kube();
    const dns = await findDns(kube);
    const cluster = inspection.cluster.name;
    if (!dns)
      return no("there is no CoreDNS", {
        cause: errorData(dnsMissing({ cluster, whoBringsIt: kubernetesOf(inspection).advice.dns })),
      });
    const pods = podsOf(dns, await kube.pods());
    if (!workloadState(dns).isReady) {
      const trouble = await troubleOf(inspection, dns, pods);
      return no(trouble.seen, { cause: trouble.cause });
    }
    for (const pod of reachable(dns, pods)) {
      const seen = await askPod(inspection, kube, pod, "8181", "/ready");
      if (seen !== undefined && seen !== notAsked && isAnswer(seen))
        return no(`${pod.metadata.name}: ${seen}`, {
          cause: errorData(
            dnsUnreachable({ cluster, pod: pod.metadata.name, node: pod.spec?.nodeName ?? "", why: seen }),
          ),
        });
    }
    return yes(`${pods.length} pods of ${dns.metadata.name}`);
  },
};

/**
 * The API server stands on the network of its node, and what it asks of a pod elsewhere passes the pod network. CoreDNS
 * is on most clusters the only pod that answers everybody.
 */
export const podsReached: Question = {
  id: "pods-reached",
  title: "Do nodes reach pods?",
  async ask(inspection) {
    const kube = await inspection.kube();
    const dns = await findDns(kube);
    const pods = dns ? reachable(dns, await kube.pods()) : [];
    const asked = await Promise.all(
      pods.map(async (pod) => ({ pod, why: await askPod(inspection, kube, pod, "8181", "/ready") })),
    );
    const lost = asked.find(({ why }) => why !== undefined && why !== notAsked && !isAnswer(why));
    const heard = asked.filter(({ why }) => why !== notAsked).length;
    if (!lost && heard === 0) return unknown("there is no pod to ask");
    if (!lost) return yes(`${heard} of ${pods.length} pods answer`);
    const node = lost.pod.spec?.nodeName ?? "";
    const nodes = await kube.list<KubeNode>("v1", "Node");
    const mtu = inspection.cluster.network.mtu;
    return no(`${lost.pod.metadata.name} on ${node}: ${lost.why}`, {
      cause: errorData(
        podNetworkBroken({
          cluster: inspection.cluster.name,
          node,
          others: nodes.map(({ metadata }) => metadata.name).filter((name) => name !== node),
          why: lost.why ?? "",
          mtu,
        }),
      ),
    });
  },
};

/** Those that have an address, in the order of their nodes. */
const reachable = (dns: Workload, pods: KubePod[]): KubePod[] =>
  podsOf(dns, pods)
    .filter(isOnPodNetwork)
    .toSorted((left, right) => (left.spec?.nodeName ?? "").localeCompare(right.spec?.nodeName ?? ""));

const findDns = async (kube: KubeFacts): Promise<Workload | undefined> =>
  (await kube.workloads()).find(
    ({ metadata, spec }) =>
      metadata.namespace === "kube-system" && spec?.selector?.matchLabels?.["k8s-app"] === "kube-dns",
  );

/** It has no such port, or nobody may ask it. */
const notAsked = "not asked";

/** Why a pod does not answer; undefined when it does. */
async function askPod(inspection: Inspection, kube: KubeFacts, pod: KubePod, port: string, path: string) {
  const target = {
    kind: "pods",
    namespace: pod.metadata.namespace ?? "",
    name: pod.metadata.name,
    port,
    path,
  } as const;
  const seen = await orWhy(
    limitTime(
      inspection.clock,
      patienceMs,
      `no answer in ${patienceMs / 1000}s`,
      inspection.signal,
      (signal) => kube.client.proxyGet(target, signal),
    ),
  );
  if ("value" in seen) return undefined;
  if (seen.code === "KUBE_NOT_FOUND" || seen.code === "KUBE_FORBIDDEN") return notAsked;
  return short(
    withoutPlace(seen.why)
      .replace(/^answered (\d+)$/, "it says that it is not ready ($1)")
      .replace(/^answered \d+: /, ""),
    90,
  );
}

/** The pod itself said no, so the way to it is open. */
const isAnswer = (why: string): boolean =>
  !/timeout|timed out|no answer|dial tcp|trying to reach|no route/i.test(why);
