/** The decision tree: from "it does not work" to one cause and one thing to do, by asking the cheapest question first. */
import { apiAnswers } from "./api.ts";
import { servingCertificates } from "./certificates.ts";
import { nodesGreeted } from "./cloud.ts";
import { dnsReady, podsReached } from "./dns.ts";
import { etcdWhole } from "./etcd.ts";
import { hostsAnswer } from "./hosts.ts";
import { machinesRun } from "./machines.ts";
import { extensionsAnswer, namespacesEnd } from "./namespaces.ts";
import { networkReady } from "./network.ts";
import { clocksAgree, nodesAnswer, systemsWell } from "./nodes.ts";
import { oneOwner } from "./owners.ts";
import type { Patient } from "./patient.ts";
import type { Question } from "./question.ts";
import { nodesReady } from "./ready.ts";
import { releasesWhole } from "./releases.ts";
import { claimsBound } from "./storage.ts";
import { workloadsRun } from "./workloads.ts";

/** What is asked of a cluster, in this order. Most of the tree hangs below these and is only walked when one says no. */
export function questionsFor({ cluster, hasKubernetes }: Patient): Question[] {
  const nodes = cluster.nodes.map(({ name }) => name);
  if (!hasKubernetes) return [machinesRun(nodes), nodesAnswer(nodes), systemsWell, hostsAnswer];
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

export { admit, type Patient, type Sources } from "./patient.ts";
export type { Answer, Question } from "./question.ts";
export { walk, type Diagnosis } from "./walk.ts";
