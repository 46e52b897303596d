/** The decision tree: from "it does not work" to one cause and one thing to do, by asking the cheapest question first. */
import { apiAnswers } from "./api/api.ts";
import { servingCertificates } from "./api/certificates.ts";
import { nodesGreeted } from "./cloud/cloud.ts";
import { dnsReady, podsReached } from "./network/dns.ts";
import { etcdWhole } from "./api/etcd.ts";
import { hostsAnswer } from "./machines/hosts.ts";
import { machinesRun } from "./machines/machines.ts";
import { extensionsAnswer, namespacesEnd } from "./workloads/namespaces.ts";
import { networkReady } from "./network/network.ts";
import { clocksAgree, nodesAnswer, systemsWell } from "./machines/nodes.ts";
import { oneOwner } from "./workloads/owners.ts";
import type { Inspection } from "./inspection.ts";
import type { Question } from "./question.ts";
import { nodesReady } from "./machines/ready.ts";
import { releasesWhole } from "./workloads/releases.ts";
import { claimsBound } from "./cloud/storage.ts";
import { workloadsRun } from "./workloads/workloads.ts";

/** What is asked of a cluster, in this order. Most of the tree hangs below these and is only walked when one says no. */
export function questionsFor({ cluster, kubernetes }: Inspection): Question[] {
  const nodes = cluster.nodes.map(({ name }) => name);
  if (!kubernetes) return [machinesRun(nodes), nodesAnswer(nodes), systemsWell, hostsAnswer];
  return [
    apiAnswers,
    etcdWhole,
    clocksAgree,
    nodesReady,
    networkReady,
    servingCertificates,
    nodesGreeted,
    dnsReady,
    podsReached,
    claimsBound,
    workloadsRun,
    releasesWhole,
    extensionsAnswer,
    namespacesEnd,
    oneOwner,
    // A node that stopped a moment ago still looks Ready.
    machinesRun(nodes),
    hostsAnswer,
  ];
}

export { openInspection, type Inspection, type Sources } from "./inspection.ts";
export type { Answer, Question } from "./question.ts";
export { walk, type Diagnosis } from "./walk.ts";
