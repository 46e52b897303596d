import { expect, test } from "vitest";
import { outgoingTo, quietPatch } from "./outgoing.ts";

const running = (kind: string, image: string, spec: Record<string, unknown> = {}) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "x", namespace: "y" },
  spec: { ...spec, template: { spec: { containers: [{ image }] } } },
});

test.each([
  ["ghcr.io/fluxcd/kustomize-controller:v1.6.0", "Git and whom it notifies"],
  ["quay.io/argoproj/argocd:v3.1.0@sha256:0123", "Git and whom it notifies"],
  ["registry.example:5000/external-dns/external-dns", "DNS records"],
  ["quay.io/jetstack/cert-manager-controller:v1.19.1", "certificates by ACME"],
  ["ghcr.io/sergelogvinov/proxmox-cloud-controller-manager:v0.12", "the cloud"],
  ["rancher/rancher-agent:v2.14.1", "the manager it is registered with"],
  ["velero/velero:v1.17.0", "backups"],
  ["cloudflare/cloudflared:2026.1.0", "tunnels"],
  ["quay.io/metallb/speaker:v0.15.2", "addresses on the network"],
])("outgoingTo() knows %s", (image, to) => {
  expect(outgoingTo(running("Deployment", image, { replicas: 2 }))).toBe(to);
  expect(outgoingTo(running("Deployment", image, { replicas: 0 }))).toBeUndefined();
});

test.each([
  "registry.k8s.io/coredns/coredns:v1.12.4",
  "quay.io/jetstack/cert-manager-cainjector:v1.19.1",
  "quay.io/cilium/operator-generic:v1.19.0",
  "longhornio/longhorn-manager:v1.11.1",
  "nginx",
])("outgoingTo() leaves %s alone", (image) => {
  expect(outgoingTo(running("Deployment", image))).toBeUndefined();
});

test("outgoingTo() leaves alone who holds the address of its own cluster, and stops who holds another's", () => {
  const vip = (address: string) => ({
    ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "kube-vip", namespace: "kube-system" } },
    spec: {
      template: {
        spec: {
          containers: [
            { image: "ghcr.io/kube-vip/kube-vip:v1.2.3", env: [{ name: "address", value: address }] },
          ],
        },
      },
    },
  });
  expect(outgoingTo(vip("10.8.0.109"), "10.8.0.109")).toBeUndefined();
  expect(outgoingTo(vip("10.8.0.9"), "10.8.0.109")).toBe("addresses on the network");
  expect(outgoingTo(vip("10.8.0.9"))).toBe("addresses on the network");
});

test("each kind is stopped in its own way, and then not seen again", () => {
  const speaker = running("DaemonSet", "quay.io/metallb/speaker:v0.15.2");
  expect(quietPatch(speaker)).toEqual({
    metadata: { annotations: { "slipway.dev/quieted": "on every node" } },
    spec: { template: { spec: { nodeSelector: { "slipway.dev/quieted": "true" } } } },
  });
  const quieted = structuredClone(speaker);
  Object.assign(quieted.spec.template.spec, { nodeSelector: { "slipway.dev/quieted": "true" } });
  expect(outgoingTo(quieted)).toBeUndefined();
  const argo = running("StatefulSet", "quay.io/argoproj/argocd:v3", { replicas: 3 });
  expect(quietPatch(argo)).toMatchObject({
    metadata: { annotations: { "slipway.dev/quieted": "replicas: 3" } },
    spec: { replicas: 0 },
  });
  const job = { ...running("CronJob", ""), spec: { schedule: "0 0 * * *" } };
  expect(outgoingTo(job)).toBeDefined();
  expect(quietPatch(job)).toMatchObject({ spec: { suspend: true } });
  expect(outgoingTo({ ...job, spec: { suspend: true } })).toBeUndefined();
});
