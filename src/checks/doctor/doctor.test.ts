import { expect, test } from "vitest";
import { realClock } from "../../lib/index.ts";
import type { EventBody, NodeExam, OwnedMachine, Survey } from "../../plan/index.ts";
import { siteCluster, siteNode, emptySurvey } from "../../../test/support/proxmox-site.ts";
import { admit, questionsFor, walk, type Sources } from "./index.ts";
import { etcdWhole } from "./etcd.ts";
import { clocksAgree } from "./nodes.ts";
import { workloadNotReady } from "./workload-errors.ts";

/** What no simulated datacenter shows: facts are handed over as a hypervisor and nodes would tell them. */

const cluster = siteCluster([siteNode("cp-1"), siteNode("worker-1", { address: "10.1.0.12" })]);
const vip = "10.1.0.100";
const withVip = { ...cluster, endpoint: `https://${vip}:6443`, network: { ...cluster.network, vip } };

const machine = (node: string): OwnedMachine => ({
  cluster: "lab",
  node,
  role: "worker",
  host: "hydra",
  on: "hydra",
  vmid: 2000,
  isRunning: true,
  image: "",
  memoryMiB: 2048,
  cores: 2,
  dataDisksGiB: [],
  keptDisks: [],
  isProtected: false,
});

const exam = (node: string, more: Partial<NodeExam> = {}): NodeExam => ({
  node,
  state: "ours",
  complaints: [],
  addresses: [],
  ...(node.startsWith("cp") && { database: { members: ["cp-1"], alarms: [] } }),
  ...more,
});

/** Kubernetes is never reached here: an address of which nobody answers. */
const closed: Sources["openKube"] = async () => undefined;

interface Facts {
  exams: NodeExam[];
  survey?: Partial<Survey>;
  of?: typeof cluster;
  hasKubernetes?: boolean;
}

const patientWith = ({ exams, survey = {}, of = cluster, hasKubernetes = false }: Facts) =>
  admit(of, {
    survey: async () => emptySurvey({ machines: [machine("cp-1"), machine("worker-1")], ...survey }),
    examineMachines: async (machines) => machines.map((each) => ({ machine: each, evidence: "it runs" })),
    examineNodes: async () => new Map(exams.map((each) => [each.node, each])),
    openKube: closed,
    obstacles: async () => [],
    deviations: async () => [],
    secretsFolder: ".slipway/lab",
    hasKubernetes,
    signal: new AbortController().signal,
  });

async function diagnose(facts: Facts) {
  const patient = patientWith(facts);
  return walk(patient, questionsFor(patient), { clock: realClock, tell: () => {} });
}

test("machines without Kubernetes: what their system complains of is the cause", async () => {
  const { cause } = await diagnose({
    exams: [exam("cp-1"), exam("worker-1", { complaints: [{ part: "cloud-init", why: "apt-get failed" }] })],
  });
  expect(cause).toMatchObject({
    code: "DOCTOR_SYSTEM_COMPLAINS",
    what: "cloud-init on worker-1 does not do its work",
  });
});

test("machines without Kubernetes that are well: nothing is wrong, and four questions were asked", async () => {
  const { cause, asked } = await diagnose({ exams: [exam("cp-1"), exam("worker-1")] });
  expect([cause, asked]).toEqual([undefined, 4]);
});

test("without secrets, nodes that run and are ours by nothing else end in where the secrets belong", async () => {
  const { cause } = await diagnose({
    exams: [exam("cp-1"), exam("worker-1")],
    of: withVip,
    hasKubernetes: true,
  });
  expect(cause).toMatchObject({
    code: "DOCTOR_SECRETS_MISSING",
    else: expect.stringContaining("slipway adopt lab"),
  });
});

test("a question that cannot be asked is no sign of health: its trouble is told when nothing explains it", async () => {
  const patient = admit(cluster, {
    survey: () => Promise.reject(new Error("the socket is gone")),
    examineMachines: async () => [],
    examineNodes: async () => new Map([exam("cp-1"), exam("worker-1")].map((each) => [each.node, each])),
    openKube: closed,
    obstacles: async () => [],
    deviations: async () => [],
    secretsFolder: "",
    hasKubernetes: false,
    signal: new AbortController().signal,
  });
  const { cause } = await walk(patient, questionsFor(patient), { clock: realClock, tell: () => {} });
  expect(cause).toMatchObject({
    code: "DOCTOR_UNEXPLAINED",
    why: expect.stringContaining("the socket is gone"),
  });
});

test("a clock that is off by more than certificates bear is a cause, one that is nearly right is not", async () => {
  const ask = (clockAheadMs: number) =>
    clocksAgree.ask(
      patientWith({ exams: [exam("cp-1", { clockAheadMs: 0 }), exam("worker-1", { clockAheadMs })] }),
    );
  expect((await ask(-4_000)).isWell).toBe(true);
  const { evidence, cause } = await ask(-95_000);
  expect([evidence, cause?.code]).toEqual(["worker-1 is 95s behind", "DOCTOR_CLOCK_WRONG"]);
});

test("a clock that nobody could ask for is not right: the answer is open [talos 7]", async () => {
  const clockSilence = 'error querying NTP server "time.cloudflare.com": lookup: connection refused';
  const mute = [exam("cp-1", { clockSilence }), exam("worker-1", { clockSilence })];
  expect(await clocksAgree.ask(patientWith({ exams: mute }))).toEqual({
    answer: "?",
    evidence: `0 of 2 tell; cp-1: ${clockSilence}`,
    isWell: false,
    isUnknown: true,
  });
  const half = [
    exam("cp-1", { clockAheadMs: 0 }),
    exam("worker-1", { state: "silent", silence: "no route" }),
  ];
  expect(await clocksAgree.ask(patientWith({ exams: half }))).toMatchObject({
    answer: "?",
    evidence: "1 of 2 tell; worker-1: no route",
  });
});

test("an open answer ends neither in a cause nor in health, and is counted [talos 7]", async () => {
  const patient = patientWith({ exams: [exam("cp-1"), exam("worker-1")] });
  const told: EventBody[] = [];
  const found = await walk(patient, [clocksAgree], { clock: realClock, tell: (event) => told.push(event) });
  expect(found).toEqual({ cluster: "lab", asked: 1, unanswered: 1 });
  expect(told).toMatchObject([{ id: "clocks-agree", status: "warned", answer: "?" }]);
});

test("etcd whose alarms nobody could ask for is not called free of them [talos 7]", async () => {
  const database = { members: ["cp-1"], alarms: [], alarmSilence: "no answer within 4s" };
  const patient = patientWith({ exams: [exam("cp-1", { database }), exam("worker-1")] });
  expect(await etcdWhole.ask(patient)).toMatchObject({
    answer: "?",
    evidence: "1 of 1; cp-1 does not tell of alarms: no answer within 4s",
  });
});

test.each([
  ["the member has been permanently removed from the cluster", "DOCTOR_ETCD_MEMBER_LOST"],
  ["no answer within 4s", "DOCTOR_ETCD_NOT_STARTING"],
  ['etcd is Failed: failed to pull image "registry.k8s.io/etcd:v3.6.12"', "DOCTOR_ETCD_NOT_STARTING"],
])("only an etcd that was removed is told to be wiped: %s [talos 3]", async (silence, code) => {
  const database = { members: [], alarms: [], silence };
  const patient = patientWith({ exams: [exam("cp-1", { database }), exam("worker-1")] });
  const { cause } = await etcdWhole.ask(patient);
  expect(cause?.code).toBe(code);
});

test("how to see the log of a workload is told with the labels its pods carry [talos 8]", () => {
  const { next } = workloadNotReady({
    namespace: "kube-system",
    workload: "coredns",
    labels: "k8s-app=kube-dns",
    why: "0 of 2",
  });
  expect(next).toContain("kubectl -n kube-system logs --all-containers -l k8s-app=kube-dns");
  expect(next).not.toContain("app.kubernetes.io/name");
});
