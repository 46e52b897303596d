import { expect, test } from "vitest";
import { realClock } from "../../lib/index.ts";
import type { NodeExam, OwnedMachine, Survey } from "../../plan/index.ts";
import { siteCluster, siteNode, emptySurvey } from "../../../test/support/proxmox-site.ts";
import { admit, questionsFor, walk, type Sources } from "./index.ts";
import { clocksAgree } from "./nodes.ts";

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
    clocksAgree.ask(patientWith({ exams: [exam("cp-1"), exam("worker-1", { clockAheadMs })] }));
  expect((await ask(-4_000)).isWell).toBe(true);
  const { evidence, cause } = await ask(-95_000);
  expect([evidence, cause?.code]).toEqual(["worker-1 is 95s behind", "DOCTOR_CLOCK_WRONG"]);
});
