import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { connectKube, refOf, type KubeClient, type Manifest } from "../../src/clients/kube/index.ts";
import { realClock, realRandom } from "../../src/lib/index.ts";
import { issueCertificate } from "../../src/pki/index.ts";
import { secretStore } from "../../src/secrets/index.ts";
import { realisticLatencies, type ClusterFault } from "../../src/sim/index.ts";
import { certificateRequest } from "../support/kube/certificate-requests.ts";
import { inspect, until, type Inspected } from "../support/screens/doctor-lab.ts";
import { expectGolden } from "../support/golden.ts";
import { fleetOf, type RehearsalSite, runningSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.63.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } }, region: cellar }
clusters:
  lab:
    network: { cidr: 10.63.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, memory: 4GiB, address: .10, vmid: 2000 }
    workers: { count: 2, memory: 4GiB, address: .20, vmid: 3000 }
    addons:
      - cilium
      - nfs-csi: { server: 10.63.0.5, share: /volume1/k8s }
      - proxmox-ccm
`);

let site: RehearsalSite;
let kube: KubeClient;
beforeAll(async () => {
  site = await runningSite(fleet, { latencies: realisticLatencies });
  const kubeconfig = await readFile(path.join(site.folder, "lab/kubeconfig"), "utf8");
  kube = connectKube({ kubeconfig, dial: dial(), clock: site.rehearsal.time.clock });
});
afterAll(async () => {
  kube.close();
  await site[Symbol.asyncDispose]();
});

const dial = () => site.rehearsal.world(new AbortController().signal, () => {}).dial;
const golden = (text: string, name: string) =>
  expectGolden(text, import.meta.dirname, "testdata", `doctor-${name}.txt`);

interface Injection {
  faults?: ClusterFault[];
  objects?: Manifest[];
  /** Done after the objects are made; what it returns undoes it. */
  also?(): Promise<() => Promise<void>>;
}

/** Doctor's answer once it is this one; another one that stays is the failure. */
async function untilFound(code: string): Promise<Inspected> {
  let seen: Inspected | undefined;
  const isFound = async () => {
    seen = await inspect(site, fleet);
    return seen.cause === code;
  };
  await until(site, isFound, () => `doctor does not say "${code}":\n${seen?.text}`);
  return seen ?? inspect(site, fleet);
}

/** Injects, waits until doctor names the cause, holds the screen against its golden, and takes everything back. */
async function diagnosed(
  name: string,
  code: string,
  { faults = [], objects = [], also }: Injection,
): Promise<string> {
  const { cluster } = site.rehearsal.datacenter.faults;
  cluster.add(...faults);
  for (const object of objects) await kube.create(object);
  const undo = await also?.();
  try {
    const seen = await untilFound(code);
    golden(seen.text, name);
    return seen.text;
  } finally {
    cluster.clear();
    await undo?.();
    for (const object of objects.toReversed()) await kube.delete(refOf(object));
    await untilFound("");
  }
}

const deployment = (name: string, image: string, spec: object = {}, namespace = "default"): Manifest => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image }], ...spec } },
  },
});

const claim = (name: string, storageClassName: string): Manifest => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "default" },
  spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});

test("an image that cannot be pulled: which pod on which node, and what it said", () =>
  diagnosed("image-pull", "DOCTOR_IMAGE_NOT_PULLED", {
    faults: [{ kind: "image-pull", image: "ghcr.io/acme/*" }],
    objects: [deployment("web", "ghcr.io/acme/web:1")],
  }));

test("a program that crashes: its last words", () =>
  diagnosed("crash-loop", "DOCTOR_POD_CRASHES", {
    faults: [{ kind: "crash-loop", workload: "web-*", log: "config: no such file: /etc/web.yaml" }],
    objects: [deployment("web", "ghcr.io/acme/web:1")],
  }));

test("a pod that no node takes", whole, () =>
  diagnosed("unschedulable", "DOCTOR_POD_UNPLACED", {
    objects: [deployment("web", "ghcr.io/acme/web:1", { nodeSelector: { gpu: "yes" } })],
  }),
);

test("a namespace that lets its pods not in", whole, () =>
  diagnosed("pod-security", "DOCTOR_POD_FORBIDDEN", {
    objects: [
      {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "strict", labels: { "pod-security.kubernetes.io/enforce": "baseline" } },
      },
      deployment("agent", "ghcr.io/acme/agent:1", { hostNetwork: true }, "strict"),
    ],
  }),
);

test("a webhook that is down, named by the pods that could not be made", whole, () =>
  diagnosed("webhook-down", "DOCTOR_WEBHOOK_DOWN", {
    objects: [
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "policy" },
        webhooks: [
          {
            name: "check.policy.example",
            clientConfig: { service: { name: "policy", namespace: "policy", path: "/check" } },
            rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
            objectSelector: { matchLabels: { app: "web" } },
            failurePolicy: "Fail",
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
          },
        ],
      },
      deployment("web", "ghcr.io/acme/web:1"),
    ],
  }),
);

test("pain-25-a-network-that-never-comes-up: the agent on its node, before all that waits for it (tf-talos#183, talos#7967)", () =>
  diagnosed("cni-not-ready", "DOCTOR_NETWORK_NOT_READY", {
    faults: [
      {
        kind: "cni-not-ready",
        node: "worker-1",
        message: 'Readiness probe failed: level=fatal msg="unable to reach KubePrism at localhost:7445"',
      },
    ],
  }));

test("a kubelet that says why it is not ready", () =>
  diagnosed("node-not-ready", "DOCTOR_NODE_NOT_READY", {
    faults: [{ kind: "node-not-ready", node: "worker-2" }],
  }));

test("cluster DNS that does not answer, and pods that nobody reaches", async () => {
  await diagnosed("dns-broken", "DOCTOR_DNS_NOT_READY", { faults: [{ kind: "dns-broken" }] });
  await diagnosed("pod-network-broken", "DOCTOR_POD_NETWORK_BROKEN", {
    faults: [{ kind: "pod-network-broken", node: "cp-1", peer: "worker-*" }],
  });
});

test("pain-24-storage-says-why: a provisioner that fails, and a class that is not there (sergelogvinov/proxmox-csi-plugin#116)", async () => {
  await diagnosed("claim-pending", "DOCTOR_CLAIM_PENDING", {
    faults: [
      { kind: "provisioner-failing", message: "mount 10.63.0.5:/volume1/k8s: access denied by server" },
    ],
    objects: [claim("data", "nfs")],
  });
  await diagnosed("storage-class-missing", "DOCTOR_STORAGE_CLASS_MISSING", {
    objects: [claim("data", "fast")],
  });
});

test("pain-24-nodes-without-a-cloud: the taint, and why the controller does not take it away (cozystack/cozystack PR#4089)", () =>
  diagnosed("cloud-controller", "DOCTOR_NODE_NOT_GREETED", {
    faults: [
      {
        kind: "crash-loop",
        workload: "proxmox-cloud-controller-manager-*",
        log: "failed to initialize proxmox client: 401 authentication failure",
      },
    ],
    async also() {
      const node = { apiVersion: "v1", kind: "Node", name: "worker-1" };
      const taint = {
        key: "node.cloudprovider.kubernetes.io/uninitialized",
        value: "true",
        effect: "NoSchedule",
      };
      await until(site, async () => {
        const { items } = await kube.list({ apiVersion: "v1", kind: "Pod", namespace: "kube-system" });
        return JSON.stringify(items).includes("CrashLoopBackOff");
      });
      await kube.patch(node, { spec: { taints: [taint] } });
      return async () => {
        await kube.patch(node, { spec: { taints: null } });
      };
    },
  }));

test("pain-26-serving-certificates-that-nobody-approved (tf-talos#206)", () =>
  diagnosed("certificate-pending", "DOCTOR_CERTIFICATE_PENDING", {
    faults: [{ kind: "csr-never-approved" }],
    async also() {
      const bundle = await secretStore({ folder: site.folder, clock: realClock, random: realRandom }).find(
        "lab",
      );
      if (!bundle) throw new Error("there are no secrets");
      const who = await issueCertificate({
        authority: bundle.kubernetes,
        commonName: "system:node:worker-2",
        organizations: ["system:nodes"],
        usages: ["client"],
        notBefore: realClock.now() - 60_000,
        lifetimeMs: 3_600_000,
        random: realRandom,
      });
      const kubelet = connectKube({
        clock: realClock,
        kubeconfig: { server: kube.server, ca: bundle.kubernetes.cert, ...who },
        dial: dial(),
      });
      const subject = "O=system:nodes,CN=system:node:worker-2";
      const pem = await certificateRequest({ subject, dns: ["worker-2"], ips: ["10.63.0.21"] });
      const request = {
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        metadata: { name: "csr-worker-2" },
        spec: {
          request: Buffer.from(pem).toString("base64"),
          signerName: "kubernetes.io/kubelet-serving",
          usages: ["digital signature", "server auth"],
        },
      };
      await kubelet.create(request);
      kubelet.close();
      return async () => {
        await kube.delete(refOf(request));
      };
    },
  }));

test("a Helm release that was cut in the middle", () =>
  diagnosed("release-stuck", "DOCTOR_RELEASE_STUCK", {
    objects: [
      {
        apiVersion: "v1",
        kind: "Secret",
        type: "helm.sh/release.v1",
        metadata: {
          name: "sh.helm.release.v1.shop.v2",
          namespace: "default",
          labels: { owner: "helm", name: "shop", status: "pending-upgrade", version: "2" },
        },
        data: { release: "" },
      },
    ],
  }));

test("pain-30-a-namespace-that-does-not-end: the API extension that holds it, or its finalizers (cozystack/cozystack#3481)", async () => {
  const namespace: Manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "old" } };
  const held: Manifest = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "held", namespace: "old", finalizers: ["example.org/cleanup"] },
    data: {},
  };
  const end = async (): Promise<() => Promise<void>> => {
    await kube.delete(refOf(namespace));
    return async () => undefined;
  };
  await diagnosed("api-extension-down", "DOCTOR_API_EXTENSION_DOWN", {
    objects: [
      {
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        metadata: { name: "v1beta1.custom.metrics.k8s.io" },
        spec: {
          group: "custom.metrics.k8s.io",
          version: "v1beta1",
          groupPriorityMinimum: 100,
          versionPriority: 100,
          service: { namespace: "monitoring", name: "prometheus-adapter" },
        },
      },
      namespace,
    ],
    also: end,
  });
  await diagnosed("namespace-stuck", "DOCTOR_NAMESPACE_STUCK", {
    objects: [namespace, held],
    async also() {
      await end();
      return async () => {
        await kube.patch(refOf(held), { metadata: { finalizers: null } });
      };
    },
  });
});

test("pain-29-two-owners-of-one-add-on: Flux keeps what the file says is Slipway's (talos#11652)", () =>
  diagnosed("two-owners", "DOCTOR_TWO_OWNERS", {
    async also() {
      const cilium = { apiVersion: "apps/v1", kind: "DaemonSet", namespace: "kube-system", name: "cilium" };
      const label = "kustomize.toolkit.fluxcd.io/name";
      await kube.patch(cilium, { metadata: { labels: { [label]: "infrastructure" } } });
      return async () => {
        await kube.patch(cilium, { metadata: { labels: { [label]: null } } });
      };
    },
  }));
