import { expect, test } from "vitest";
import { realClock } from "../../lib/index.ts";
import type { EventBody, KubernetesFacts, NodeInspection, OwnedMachine, Survey } from "../../plan/index.ts";
import { fleetOf } from "../../../test/support/sim/rehearsal-site.ts";
import { siteCluster, siteNode, emptySurvey } from "../../../test/support/proxmox/site.ts";
import { factsOf } from "../../operations/index.ts";
import { openInspection, questionsFor, walk, type Sources } from "./index.ts";
import { etcdWhole } from "./api/etcd.ts";
import { clocksAgree } from "./machines/nodes.ts";
import { workloadNotReady } from "./workloads/errors.ts";

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
  id: 2000,
  isRunning: true,
  image: "",
  memoryMiB: 2048,
  cores: 2,
  dataDisksGiB: [],
  keptDisks: [],
  isProtected: false,
});

const nodeInspection = (node: string, more: Partial<NodeInspection> = {}): NodeInspection => ({
  node,
  state: "ours",
  complaints: [],
  addresses: [],
  ...(node.startsWith("cp") && { database: { members: ["cp-1"], alarms: [] } }),
  ...more,
});

/** Kubernetes is never reached here: an address of which nobody answers. */
const closed: Sources["openKube"] = async () => undefined;

const [talos, k3s] = [
  "talos: {}",
  'k3s: { user: ops }, image: { url: "https://example.org/system.qcow2" }',
].map((system) => {
  const [one] = fleetOf(`version: 1
hosts: { hydra: { proxmox: { url: "https://10.1.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } } }
clusters: { lab: { ${system}, network: { cidr: 10.1.0.0/24 }, controlPlanes: { count: 1, address: .11 } } }
`).clusters;
  return one && factsOf(one).kubernetes;
});

interface Facts {
  nodeInspections: NodeInspection[];
  survey?: Partial<Survey>;
  of?: typeof cluster;
  kubernetes?: KubernetesFacts | undefined;
}

const inspectionWith = ({ nodeInspections, survey = {}, of = cluster, kubernetes }: Facts) =>
  openInspection(of, {
    survey: async () => emptySurvey({ machines: [machine("cp-1"), machine("worker-1")], ...survey }),
    inspectMachines: async (machines) => machines.map((each) => ({ machine: each, evidence: "it runs" })),
    inspectNodes: async () => new Map(nodeInspections.map((each) => [each.node, each])),
    openKube: closed,
    obstacles: async () => [],
    deviations: async () => [],
    secretsFolder: ".slipway/lab",
    kubernetes,
    clock: realClock,
    signal: new AbortController().signal,
  });

async function diagnose(facts: Facts) {
  const inspection = inspectionWith(facts);
  return walk(inspection, questionsFor(inspection), { clock: realClock, tell: () => {} });
}

test("machines without Kubernetes: what their system complains of is the cause", async () => {
  const { cause } = await diagnose({
    nodeInspections: [
      nodeInspection("cp-1"),
      nodeInspection("worker-1", { complaints: [{ part: "cloud-init", why: "apt-get failed" }] }),
    ],
  });
  expect(cause).toMatchObject({
    code: "DOCTOR_SYSTEM_COMPLAINS",
    what: "cloud-init on worker-1 does not do its work",
  });
});

test("machines without Kubernetes that are well: nothing is wrong, and four questions were asked", async () => {
  const { cause, asked } = await diagnose({
    nodeInspections: [nodeInspection("cp-1"), nodeInspection("worker-1")],
  });
  expect([cause, asked]).toEqual([undefined, 4]);
});

test("without secrets, nodes that run and are ours by nothing else end in where the secrets belong", async () => {
  const { cause } = await diagnose({
    nodeInspections: [nodeInspection("cp-1"), nodeInspection("worker-1")],
    of: withVip,
    kubernetes: talos,
  });
  expect(cause).toMatchObject({
    code: "DOCTOR_SECRETS_MISSING",
    else: expect.stringContaining("slipway adopt lab"),
  });
});

test("a question that cannot be asked is no sign of health: its trouble is told when nothing explains it", async () => {
  const inspection = openInspection(cluster, {
    survey: () => Promise.reject(new Error("the socket is gone")),
    inspectMachines: async () => [],
    inspectNodes: async () =>
      new Map([nodeInspection("cp-1"), nodeInspection("worker-1")].map((each) => [each.node, each])),
    openKube: closed,
    obstacles: async () => [],
    deviations: async () => [],
    secretsFolder: "",
    clock: realClock,
    signal: new AbortController().signal,
  });
  const { cause } = await walk(inspection, questionsFor(inspection), { clock: realClock, tell: () => {} });
  expect(cause).toMatchObject({
    code: "DOCTOR_UNEXPLAINED",
    why: expect.stringContaining("the socket is gone"),
  });
});

test("a clock that is off by more than certificates bear is a cause, one that is nearly right is not", async () => {
  const ask = (clockAheadMs: number) =>
    clocksAgree.ask(
      inspectionWith({
        nodeInspections: [
          nodeInspection("cp-1", { clockAheadMs: 0 }),
          nodeInspection("worker-1", { clockAheadMs }),
        ],
      }),
    );
  expect((await ask(-4_000)).isWell).toBe(true);
  const { evidence, cause } = await ask(-95_000);
  expect([evidence, cause?.code]).toEqual(["worker-1 is 95s behind", "DOCTOR_CLOCK_WRONG"]);
});

test("a clock that nobody could ask for is not right: the answer is open [talos 7]", async () => {
  const clockUnknownBecause = 'error querying NTP server "time.cloudflare.com": lookup: connection refused';
  const mute = [
    nodeInspection("cp-1", { clockUnknownBecause }),
    nodeInspection("worker-1", { clockUnknownBecause }),
  ];
  expect(await clocksAgree.ask(inspectionWith({ nodeInspections: mute }))).toEqual({
    answer: "?",
    evidence: `0 of 2 tell; cp-1: ${clockUnknownBecause}`,
    isWell: false,
    isUnknown: true,
  });
  const half = [
    nodeInspection("cp-1", { clockAheadMs: 0 }),
    nodeInspection("worker-1", { state: "unreachable", unreachableBecause: "no route" }),
  ];
  expect(await clocksAgree.ask(inspectionWith({ nodeInspections: half }))).toMatchObject({
    answer: "?",
    evidence: "1 of 2 tell; worker-1: no route",
  });
});

test("an open answer ends neither in a cause nor in health, and is counted [talos 7]", async () => {
  const inspection = inspectionWith({
    nodeInspections: [nodeInspection("cp-1"), nodeInspection("worker-1")],
  });
  const told: EventBody[] = [];
  const found = await walk(inspection, [clocksAgree], {
    clock: realClock,
    tell: (event) => told.push(event),
  });
  expect(found).toEqual({ cluster: "lab", asked: 1, unanswered: 1 });
  expect(told).toMatchObject([{ id: "clocks-agree", status: "warned", answer: "?" }]);
});

test("etcd whose alarms nobody could ask for is not called free of them [talos 7]", async () => {
  const database = { members: ["cp-1"], alarms: [], alarmsUnknownBecause: "no answer within 4s" };
  const inspection = inspectionWith({
    nodeInspections: [nodeInspection("cp-1", { database }), nodeInspection("worker-1")],
  });
  expect(await etcdWhole.ask(inspection)).toMatchObject({
    answer: "?",
    evidence: "1 of 1; cp-1 does not tell of alarms: no answer within 4s",
  });
});

test.each([
  ["the member has been permanently removed from the cluster", "DOCTOR_ETCD_MEMBER_LOST"],
  ["no answer within 4s", "DOCTOR_ETCD_NOT_STARTING"],
  ['etcd is Failed: failed to pull image "registry.k8s.io/etcd:v3.6.12"', "DOCTOR_ETCD_NOT_STARTING"],
])("only an etcd that was removed is told to be wiped: %s [talos 3]", async (unreachableBecause, code) => {
  const database = { members: [], alarms: [], unreachableBecause };
  const nodeInspections = [nodeInspection("cp-1", { database }), nodeInspection("worker-1")];
  const { cause } = await etcdWhole.ask(inspectionWith({ nodeInspections, kubernetes: talos }));
  expect(cause?.code).toBe(code);
});

test("what is told to type is for the distribution that runs: no talosctl on K3s", async () => {
  const unreachableBecause = "the member has been permanently removed from the cluster";
  const nodeInspections = [
    nodeInspection("cp-1", { database: { members: [], alarms: [], unreachableBecause } }),
    nodeInspection("worker-1"),
  ];
  const lost = await etcdWhole.ask(inspectionWith({ nodeInspections, kubernetes: k3s }));
  expect(lost.cause?.next).toBe(
    'Remove the machine of cp-1 on its host, then run "slipway up lab", which makes it again and lets it join',
  );
  const alarmed = [nodeInspection("cp-1", { database: { members: ["cp-1"], alarms: ["no-space"] } })];
  const full = await etcdWhole.ask(inspectionWith({ nodeInspections: alarmed, kubernetes: k3s }));
  expect(full.cause?.next).toBe(
    "Remove what is not needed, then restart K3s on each control plane, one after the other: slipway ssh lab/cp-1 -- sudo systemctl restart k3s",
  );
  const { cause } = await diagnose({
    nodeInspections: [nodeInspection("cp-1"), nodeInspection("worker-1")],
    of: withVip,
    kubernetes: k3s,
  });
  expect([cause?.why, cause?.else]).toEqual([
    'there is no k3s-secrets.yaml in ".slipway/lab", and its nodes run',
    undefined,
  ]);
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
