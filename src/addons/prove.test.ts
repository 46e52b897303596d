import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { certificateRequest } from "../../test/support/kube/certificate-requests.ts";
import { eventually } from "../../test/support/kube/objects.ts";
import { startSimulatedKube, type KubeTarget } from "../../test/support/kube/targets.ts";
import type { KubeClient, Manifest } from "../clients/kube/index.ts";
import type { Addon } from "../spec/index.ts";
import { proveClaim, storageClass } from "./common/index.ts";
import { addons as allAddons } from "./index.ts";
import { installAddons } from "./steps/index.ts";
import { addonCluster } from "./testdata/addon-cluster.ts";
import { realClock } from "../lib/index.ts";

let target: KubeTarget;
let kube: KubeClient;
const { signal } = new AbortController();

beforeAll(async () => {
  target = await startSimulatedKube();
  ({ kube } = await target.connect());
});
afterAll(() => target.stop());

const prove = async (id: Addon["name"], addons: string) => {
  const cluster = addonCluster(addons);
  const installed = await installAddons(cluster, allAddons);
  const found = installed.find(({ addon }) => addon.id === id);
  if (!found?.installation.prove) throw new Error(`nothing proves ${id}`);
  const { addon, installation, version } = found;
  return installation.prove?.(
    kube,
    { addon, cluster, version, names: new Set() },
    { clock: realClock, signal },
  );
};

const status = (apiVersion: string, kind: string, name: string, said: object, namespace?: string) =>
  kube.patch(
    { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) },
    { status: said },
    { subresource: "status" },
  );

const readyNow = { conditions: [{ type: "Ready", status: "True" }] };

/** A kind that a chart would have brought, with a status that anybody may write. */
const kind = (group: string, plural: string, name: string, version: string): Manifest => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural, singular: name.toLowerCase(), kind: name, listKind: `${name}List` },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
});

/** Brings a kind, and waits until there can be one of it. */
async function bring(...what: Parameters<typeof kind>): Promise<void> {
  const [group, , name, version] = what;
  await kube.create(kind(...what));
  await eventually(() => kube.list({ apiVersion: `${group}/${version}`, kind: name }));
}

async function withNode(
  name: string,
  node: { spec?: object; labels?: Record<string, string> },
  work: () => Promise<void>,
) {
  await kube.create({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, ...(node.labels && { labels: node.labels }) },
    spec: node.spec ?? {},
  });
  await status("v1", "Node", name, readyNow);
  try {
    await work();
  } finally {
    await kube.deleteNode(name);
  }
}

describe("cilium works when", () => {
  test("no node waits for its agent and all are Ready", async () => {
    const taints = [{ key: "node.cilium.io/agent-not-ready", effect: "NoSchedule" }];
    await withNode("cp-1", { spec: { taints } }, async () => {
      expect(await prove("cilium", "- cilium")).toEqual({
        done: false,
        seen: "cp-1 without a working agent",
      });
      await kube.patch({ apiVersion: "v1", kind: "Node", name: "cp-1" }, { spec: { taints: null } });
      await status("v1", "Node", "cp-1", { conditions: [{ type: "Ready", status: "False" }] });
      expect(await prove("cilium", "- cilium")).toEqual({ done: false, seen: "cp-1 not Ready" });
      await status("v1", "Node", "cp-1", readyNow);
      expect(await prove("cilium", "- cilium")).toEqual({ done: true, value: "1 nodes are Ready" });
    });
  });
});

describe("proxmox-ccm works when", () => {
  const labels = { "topology.kubernetes.io/zone": "hydra" };

  test.each([
    [
      "greets nobody",
      { taints: [{ key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" }] },
      "worker-1 not initialized yet: is each machine in Proxmox named like its node?",
    ],
    ["gives no identity", {}, "worker-1 has no providerID instead of proxmox://REGION/VMID"],
    [
      "takes it for another machine",
      { providerID: "proxmox://hydra/999" },
      "worker-1 is taken for machine 999, it is 211",
    ],
  ])("it no longer %s", async (_what, spec, seen) => {
    await withNode("worker-1", { spec, labels }, async () => {
      expect(await prove("proxmox-ccm", "- proxmox-ccm")).toEqual({ done: false, seen });
    });
  });

  test("every node knows its machine and its zone", async () => {
    await withNode("worker-1", { spec: { providerID: "proxmox://hydra/211" } }, async () => {
      expect(await prove("proxmox-ccm", "- proxmox-ccm")).toEqual({
        done: false,
        seen: "worker-1 has no zone",
      });
    });
    await withNode("worker-1", { spec: { providerID: "proxmox://hydra/211" }, labels }, async () => {
      expect(await prove("proxmox-ccm", "- proxmox-ccm")).toMatchObject({ done: true });
    });
  });
});

test("cert-manager works when its webhook takes an Issuer", async () => {
  await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "cert-manager" } });
  expect(await prove("cert-manager", "- cert-manager")).toMatchObject({
    done: false,
    seen: expect.stringMatching(/^an Issuer is refused: /),
  });
  await bring("cert-manager.io", "issuers", "Issuer", "v1");
  expect(await prove("cert-manager", "- cert-manager")).toEqual({
    done: true,
    value: "an Issuer is accepted",
  });
  expect((await kube.list({ apiVersion: "cert-manager.io/v1", kind: "Issuer" })).items).toEqual([]);
});

test("kubelet-csr-approver works when no kubelet waits", async () => {
  const request = await certificateRequest({
    subject: "CN=system:node:cp-1,O=system:nodes",
    dns: ["cp-1"],
    ips: [],
  });
  const csr = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" };
  const asKubelet = await target.connect({ user: "system:node:cp-1", groups: ["system:nodes"] });
  await asKubelet.kube.create({
    ...csr,
    metadata: { name: "csr-cp-1" },
    spec: {
      signerName: "kubernetes.io/kubelet-serving",
      request: Buffer.from(request).toString("base64"),
      usages: ["digital signature", "server auth"],
    },
  });
  const approver = "- kubelet-csr-approver";
  expect(await prove("kubelet-csr-approver", approver)).toEqual({
    done: false,
    seen: "the kubelet of cp-1 waits for its certificate",
  });
  await kube.delete({ ...csr, name: "csr-cp-1" });
  expect(await prove("kubelet-csr-approver", approver)).toMatchObject({ done: true });
});

/** As if somebody answered for the API of metrics. */
async function serveMetrics(): Promise<void> {
  const [apiVersion, name] = ["apiregistration.k8s.io/v1", "v1beta1.metrics.k8s.io"];
  const spec = {
    group: "metrics.k8s.io",
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
  };
  await kube.create({ apiVersion, kind: "APIService", metadata: { name }, spec });
  await status(apiVersion, "APIService", name, { conditions: [{ type: "Available", status: "True" }] });
  await eventually(() => kube.list({ apiVersion: "metrics.k8s.io/v1beta1", kind: "NodeMetrics" }));
}

test("metrics-server works when it measures every node", async () => {
  await withNode("cp-1", {}, async () => {
    expect(await prove("metrics-server", "- metrics-server")).toMatchObject({ done: false });
    await serveMetrics();
    expect(await prove("metrics-server", "- metrics-server")).toEqual({
      done: false,
      seen: "no figures of cp-1 yet",
    });
    await kube.create({
      apiVersion: "metrics.k8s.io/v1beta1",
      kind: "NodeMetrics",
      metadata: { name: "cp-1" },
    });
    expect(await prove("metrics-server", "- metrics-server")).toEqual({
      done: true,
      value: "1 nodes are measured",
    });
  });
});

describe("GitOps works when", () => {
  test("Flux has fetched and applied the repository, and else says what it says", async () => {
    const parts = [
      ["source.toolkit.fluxcd.io", "gitrepositories", "GitRepository"],
      ["kustomize.toolkit.fluxcd.io", "kustomizations", "Kustomization"],
    ] as const;
    const namespace = "flux-system";
    const flux = "- flux: { url: https://git.example.org/fleet.git }";
    await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    for (const [group, plural, name] of parts) await bring(group, plural, name, "v1");
    expect(await prove("flux", flux)).toEqual({
      done: false,
      seen: "GitRepository flux-system is not there yet",
    });
    for (const [group, , name] of parts)
      await kube.create({ apiVersion: `${group}/v1`, kind: name, metadata: { name: namespace, namespace } });
    const denied = { type: "Ready", status: "False", message: "authentication required" };
    await status(`${parts[0][0]}/v1`, "GitRepository", namespace, { conditions: [denied] }, namespace);
    expect(await prove("flux", flux)).toEqual({
      done: false,
      seen: "GitRepository flux-system: authentication required",
    });
    for (const [group, , name] of parts) await status(`${group}/v1`, name, namespace, readyNow, namespace);
    expect(await prove("flux", flux)).toEqual({
      done: true,
      value: "GitRepository is Ready, Kustomization is Ready",
    });
  });

  test("the root application is synced and healthy, and its going takes nothing along", async () => {
    const namespace = "argocd";
    const apiVersion = "argoproj.io/v1alpha1";
    const argocd = "- argocd: { repository: { url: https://git.example.org/apps.git } }";
    await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await bring("argoproj.io", "applications", "Application", "v1alpha1");
    await kube.create({
      apiVersion,
      kind: "Application",
      metadata: { name: "root", namespace, finalizers: ["resources-finalizer.argocd.argoproj.io"] },
      spec: { syncPolicy: { automated: { prune: false } } },
    });
    const conditions = [{ type: "ComparisonError", message: "repository not found" }];
    await status(apiVersion, "Application", "root", { conditions, sync: { status: "Unknown" } }, namespace);
    expect(await prove("argocd", argocd)).toEqual({
      done: false,
      seen: "application root: Unknown, health unknown: repository not found",
    });
    const well = { sync: { status: "Synced" }, health: { status: "Healthy" }, conditions: null };
    await status(apiVersion, "Application", "root", well, namespace);
    expect(await prove("argocd", argocd)).toEqual({
      done: true,
      value: "application root is Synced, Healthy",
    });

    const found = await installAddons(addonCluster(argocd), allAddons);
    await found[0]?.installation.beforeRemoval?.(kube, signal);
    const root = await kube.get({ apiVersion, kind: "Application", name: "root", namespace });
    expect(root?.["spec"]).toEqual({ syncPolicy: {} });
    expect(root?.metadata).not.toHaveProperty("finalizers");
  });
});

test("Longhorn is told that its removal is meant", async () => {
  const namespace = "longhorn-system";
  await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const [longhorn] = await installAddons(addonCluster("- longhorn"), allAddons);
  // Where nothing of it is there, nothing is to be said.
  await longhorn?.installation.beforeRemoval?.(kube, signal);
  await bring("longhorn.io", "settings", "Setting", "v1beta2");
  const flag = { apiVersion: "longhorn.io/v1beta2", kind: "Setting" };
  await kube.create({ ...flag, metadata: { name: "deleting-confirmation-flag", namespace }, value: "false" });
  await longhorn?.installation.beforeRemoval?.(kube, signal);
  const told = await kube.get({ ...flag, namespace, name: "deleting-confirmation-flag" });
  expect(told?.["value"]).toBe("true");
});

describe("proveClaim()", () => {
  const proof = { id: "nfs-csi", storageClass: "nfs", access: "ReadWriteMany" as const };
  const leftBehind = async () => {
    const found = await kube.get({ apiVersion: "v1", kind: "Namespace", name: "slipway-proof-nfs-csi" });
    return found && (found.metadata.deletionTimestamp === undefined ? "there" : "going");
  };

  test("says what the claim waits for, and leaves nothing behind", async () => {
    await withNode("w-1", {}, async () => {
      const seen = await proveClaim(
        kube,
        { ...proof, storageClass: "none", tryMs: 500 },
        { clock: realClock, signal },
      );
      expect(seen).toMatchObject({
        done: false,
        seen: expect.stringContaining("a claim of class none is Pending"),
      });
      expect(await leftBehind()).not.toBe("there");
    });
  });

  test("is content when a pod has written, and keeps no volume even where the class would", async () => {
    const labels = { app: "provisioner" };
    const container = { name: "provisioner", image: "proof.example.org/provisioner:1" };
    await kube.create(
      storageClass({
        name: "nfs",
        provisioner: "proof.example.org",
        isDefault: false,
        parameters: {},
        reclaimPolicy: "Retain",
        binding: "Immediate",
      }),
    );
    await kube.create({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "provisioner", namespace: "kube-system" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    await withNode("w-2", {}, async () => {
      await eventually(async () => {
        const seen = await proveClaim(kube, proof, { clock: realClock, signal });
        expect(seen).toEqual({ done: true, value: "a pod wrote to a volume of class nfs" });
      });
      await eventually(async () => {
        expect((await kube.list({ apiVersion: "v1", kind: "PersistentVolume" })).items).toEqual([]);
        expect(await leftBehind()).toBeUndefined();
      });
    });
  });
});
