import type { KubeClient, KubeObject } from "../../../clients/kube/index.ts";
import { readCertificateRequest } from "../../../pki/index.ts";

/** A node of the file, and what its serving certificate may be for. */
export interface KnownNode {
  name: string;
  address: string;
}

interface SigningRequest extends KubeObject {
  spec: { request: string; signerName: string; username: string; usages: string[] };
  status?: { conditions?: { type: string }[] };
}

const kind = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" };
const servingUsages = new Set(["digital signature", "key encipherment", "server auth"]);

/**
 * Approves what kubelets of nodes in the file ask for: a certificate for their own name and address, nothing else.
 * Until one is approved the API server cannot reach the kubelet, and add-ons wait for each other in a circle.
 * Returns the names of the nodes approved now.
 */
export async function approveServingCertificates(kube: KubeClient, nodes: KnownNode[]): Promise<string[]> {
  const { items } = await kube.list<SigningRequest>(kind);
  const pending = items.filter((request) => (request.status?.conditions ?? []).length === 0);
  const approved = pending.map(async (request) => {
    const node = nodes.find(({ name }) => request.spec.username === `system:node:${name}`);
    if (!node || !(await isHonest(request, node))) return [];
    await kube.approveCertificate(request.metadata.name ?? "", {
      reason: "SlipwayApproved",
      message: "its node is in the cluster file",
    });
    return [node.name];
  });
  return (await Promise.all(approved)).flat();
}

async function isHonest({ spec }: SigningRequest, node: KnownNode): Promise<boolean> {
  if (spec.signerName !== "kubernetes.io/kubelet-serving") return false;
  if (!spec.usages.every((usage) => servingUsages.has(usage))) return false;
  const asked = await readCertificateRequest(Buffer.from(spec.request, "base64").toString("utf8"));
  return (
    asked !== undefined &&
    asked.commonName === `system:node:${node.name}` &&
    asked.organizations.join() === "system:nodes" &&
    asked.addresses.every((address) => address === node.address) &&
    asked.names.every((name) => name === node.name)
  );
}
