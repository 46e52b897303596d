import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSimulatedKube, type KubeTarget } from "../../../test/support/kube/targets.ts";
import { fleetOf } from "../../../test/support/sim/rehearsal-site.ts";
import type { KubeClient, Manifest, Talk } from "../../clients/kube/index.ts";
import { realClock } from "../../lib/index.ts";
import type { Change, Check, Plan, Survey } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { dnsResolves } from "./dns-resolves.ts";
import {
  cniReady,
  healthFacts,
  kubernetesVersion,
  machinesRun,
  nodesReady,
  planClean,
  podsReach,
  type HealthFacts,
  type Probes,
} from "./index.ts";
import type { NetworkReport } from "./try-network.ts";

const [cluster] = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.16.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.16.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10 }
    workers: { count: 1, address: .20 }
`).clusters as [Cluster];

const ctx = { signal: new AbortController().signal, clock: realClock, log: () => {} };
const look = (check: Check) => check.run(ctx);

describe("in Kubernetes", () => {
  let target: KubeTarget;
  let kube: KubeClient;
  let facts: HealthFacts;
  beforeAll(async () => {
    target = await startSimulatedKube();
    kube = (await target.connect()).kube;
  });
  afterAll(() => target.stop());
  const fresh = () => (facts = healthFacts(cluster, async () => kube));

  const node = async (name: string, kubeletVersion: string, status: string) => {
    await kube.create({ apiVersion: "v1", kind: "Node", metadata: { name }, spec: {} });
    const conditions = [{ type: "Ready", status, message: "the kubelet has no disk left." }];
    const ref = { apiVersion: "v1", kind: "Node", name };
    await kube.patch(
      ref,
      { status: { conditions, nodeInfo: { kubeletVersion } } },
      { subresource: "status" },
    );
  };

  test("a cluster without a network says so", async () => {
    fresh();
    expect(await look(cniReady(facts))).toMatchObject({ status: "failed", error: { code: "VERIFY_NO_CNI" } });
  });

  test("nodes are named with what their kubelet says, or that nobody knows them", async () => {
    await node("cp-1", "v1.35.1", "False");
    fresh();
    expect(await look(nodesReady(facts))).toMatchObject({
      found: "0 of 2",
      nodes: {
        "cp-1": "is not Ready: the kubelet has no disk left",
        "worker-1": "is unknown to Kubernetes",
      },
    });
  });

  test("another version than the file's is a failure, of the API or of a kubelet", async () => {
    fresh();
    expect(await look(kubernetesVersion(facts, "1.36.3"))).toMatchObject({
      nodes: { "cp-1": "runs kubelet v1.35.1" },
    });
    expect(await look(kubernetesVersion(facts, "1.35.9"))).toMatchObject({
      found: "the API server runs v1.36.3",
    });
  });

  test("whatever writes a CNI config counts as the network, and each node has to have it", async () => {
    const labels = { app: "calico" };
    const agent: Manifest = {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "calico-node", namespace: "kube-system" },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            nodeSelector: { network: "none" },
            containers: [{ name: "agent", image: "calico:1" }],
            volumes: [{ name: "cni", hostPath: { path: "/etc/cni/net.d" } }],
          },
        },
      },
    };
    await kube.create(agent);
    fresh();
    expect(await look(cniReady(facts))).toMatchObject({
      found: "0 of 2",
      nodes: { "cp-1": "has no pod of it" },
      error: { code: "VERIFY_CNI_NOT_READY" },
    });
  });
});

describe("from what probes tell", () => {
  const name = "kubernetes.default.svc.cluster.local";
  const outside = { name: "registry.k8s.io", upstream: "10.16.0.2" };
  type By = "cluster" | "upstream" | "nobody";
  const talk = (by: By, peers: Record<string, string | undefined> = { other: undefined }): Talk => ({
    names: new Map([
      [name, { by: "cluster", said: "" }],
      [outside.name, { by, said: "SERVFAIL" }],
    ]),
    peers: new Map(Object.entries(peers)),
  });
  const probesOf = (talks: Record<string, Talk>, more: Partial<NetworkReport> = {}): Probes => ({
    image: "busybox",
    network: async () => ({
      ...{
        nodes: Object.keys(talks),
        unreachable: {},
        talks: new Map(Object.entries(talks)),
        isSampled: false,
      },
      questions: { inside: { name }, outside },
      ...more,
    }),
    claim: async () => undefined,
    close: async () => {},
  });

  test.each<[By[], string, string]>([
    [["cluster", "cluster"], "ok", "2 of 2 nodes, registry.k8s.io too"],
    [["upstream", "upstream"], "failed", "names of the cluster, but none outside"],
    [["nobody", "nobody"], "ok", "registry.k8s.io on 0 of 2, 10.16.0.2 neither"],
    [["cluster", "nobody"], "warned", "registry.k8s.io on 1 of 2"],
  ])(
    "names outside that %j answered for: %s",
    async ([first = "nobody", second = "nobody"], status, found) => {
      const finding = await look(dnsResolves("lab", probesOf({ a: talk(first), b: talk(second) })));
      expect(finding).toMatchObject({ status, found: expect.stringContaining(found) });
    },
  );

  test("a choice of pairs is said to be one", async () => {
    const talks = { a: talk("cluster"), b: talk("cluster"), c: talk("cluster") };
    expect(await look(podsReach("lab", probesOf(talks, { isSampled: true })))).toMatchObject({
      found: "3 of 3 pairs, a sample of 6: each node asks 1",
    });
  });

  test("one node has nobody to reach", async () => {
    expect(await look(podsReach("lab", probesOf({ a: talk("cluster", {}) })))).toMatchObject({
      status: "skipped",
      found: "there are no two nodes to try it with",
    });
  });
});

describe("from the hosts", () => {
  const machine = { cluster: "lab", host: "hydra", on: "hydra", id: 2000, isRunning: true };
  const surveyOf = (machines: object[], unreachable: object[] = []) =>
    ({ machines, unreachable }) as unknown as Survey;

  test("machines that are missing, off or elsewhere are named", async () => {
    const survey = surveyOf([{ ...machine, node: "cp-1", isRunning: false }]);
    expect(await look(machinesRun({ cluster, survey, placed: [] }))).toMatchObject({
      found: "0 of 2",
      nodes: { "cp-1": "is stopped (VMID 2000 on hydra)", "worker-1": "has no machine of ours" },
    });
  });

  test("what a host that cannot be asked has is unknown, and nothing is to be brought back", async () => {
    const error = { why: "$PVE_TOKEN is not set", next: "Set it" };
    const survey = surveyOf([{ ...machine, node: "cp-1" }], [{ host: "hydra", error }]);
    expect(await look(machinesRun({ cluster, survey, placed: [] }))).toMatchObject({
      nodes: { "worker-1": "is unknown: host hydra cannot be asked" },
      error: {
        ...{ code: "VERIFY_MACHINES_NOT_SEEN", next: "Set it" },
        why: "host hydra cannot be asked: $PVE_TOKEN is not set",
      },
    });
    const others = surveyOf([{ ...machine, node: "cp-1" }], [{ host: "of-another-cluster", error }]);
    expect(await look(machinesRun({ cluster, survey: others, placed: [] }))).toMatchObject({
      nodes: { "worker-1": "has no machine of ours" },
    });
  });

  const change = (node: object, more: object = {}) =>
    ({ node, action: "update", fields: [], ...more }) as unknown as Change;
  const planOf = (changes: Change[]): Plan => ({ changes, same: ["a", "b"], refused: [], found: {} });
  const clean = (changes: Change[], unreachable: string[] = []) =>
    look(
      planClean({
        ...{ cluster: "lab", file: "lab.yaml" },
        plan: async () => planOf(changes),
        statuses: async () => new Map(unreachable.map((name) => [name, { unreachableBecause: "no answer" }])),
      }),
    );

  test("the plan is clean although a silent node cannot be compared", async () => {
    const unseen = change({ kind: "talos/config", name: "its config", node: "cp-1" });
    expect(await clean([unseen], ["cp-1"])).toMatchObject({
      status: "ok",
      found: "2 of 2 as lab.yaml says; cp-1 cannot be asked",
    });
    expect(await clean([unseen])).toMatchObject({ status: "failed", nodes: { "cp-1": "differs" } });
  });

  test("a difference is told with its field", async () => {
    const fields = [{ field: "cores", from: "2", to: "4" }];
    expect(await clean([change({ kind: "addon", name: "the add-on" }, { have: {}, fields })])).toMatchObject({
      found: "2 of 3: up would change the add-on (cores)",
    });
  });
});
