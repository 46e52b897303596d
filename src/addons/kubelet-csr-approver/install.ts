import { askingNode, isPending, type KubeSigningRequest } from "../../clients/kube/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { type AddonInstallation, notYet, releasePart, shortList, uninitialized } from "../common/index.ts";

const namespace = "kube-system";
const name = "kubelet-csr-approver";

/** Lets kubelets have serving certificates that others can check, now and at every renewal. */
export const installation: AddonInstallation = {
  parts: ({ addon, cluster, version }) => [
    releasePart(addon, {
      name,
      namespace,
      chart: { repository: "https://postfinance.github.io/kubelet-csr-approver", name },
      version,
      values: {
        providerRegex: nodeNames(cluster),
        providerIpPrefixes: [cluster.network.cidr],
        // Nodes of a cluster like this are seldom in DNS.
        bypassDnsResolution: true,
        // A request that comes before its node is known here waits; denied, the kubelet would have to ask anew.
        skipDenyStep: true,
        tolerations: ["node-role.kubernetes.io/control-plane", uninitialized].map((key) => ({
          key,
          operator: "Exists",
          effect: "NoSchedule",
        })),
      },
    }),
  ],

  readiness: () => ({ workloads: [{ kind: "Deployment", namespace, name }] }),

  async prove(kube, _input, { signal }) {
    const { items } = await kube.list<KubeSigningRequest>(
      { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" },
      signal,
    );
    const waiting = items.filter(
      (request) => request.spec.signerName === "kubernetes.io/kubelet-serving" && isPending(request),
    );
    if (waiting.length === 0) return { done: true, value: "no kubelet waits for a certificate" };
    const names = waiting.map((request) => askingNode(request) ?? request.metadata.name);
    return notYet(`the kubelet of ${shortList([...new Set(names)])} waits for its certificate`);
  },
};

/** Nodes of the same pools, also those that come later. What DHCP calls a node, nobody knows here. */
export function nodeNames({ nodes }: Cluster): string {
  if (nodes.some((node) => node.isDhcp)) return "^.+$";
  const patterns = new Set(nodes.map((node) => node.name.replace(/\d+$/, "[0-9]+")));
  return `^(${[...patterns].join("|")})$`;
}
