import {
  askingNode,
  isPending,
  servingObjection,
  type KubeClient,
  type KubeSigningRequest,
} from "../../../clients/kube/index.ts";
import { readCertificateRequest } from "../../../pki/index.ts";

/** A node of the file, and what its serving certificate may be for. */
export interface KnownNode {
  name: string;
  address: string;
}

const kind = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" };

/**
 * Approves what kubelets of nodes in the file ask for: a certificate for their own name and address, nothing else.
 * Until one is approved the API server cannot reach the kubelet, and add-ons wait for each other in a circle.
 * Returns the names of the nodes approved now.
 */
export async function approveServingCertificates(kube: KubeClient, nodes: KnownNode[]): Promise<string[]> {
  const { items } = await kube.list<KubeSigningRequest>(kind);
  const known = nodes.map(({ name, address }) => ({ name, addresses: [address] }));
  const approved = items.filter(isPending).map(async (request) => {
    const contents = await readCertificateRequest(
      Buffer.from(request.spec.request, "base64").toString("utf8"),
    );
    if (servingObjection(request, contents, known) !== undefined) return [];
    await kube.approveCertificate(request, {
      reason: "SlipwayApproved",
      message: "its node is in the cluster file",
    });
    return [askingNode(request) ?? ""];
  });
  return (await Promise.all(approved)).flat();
}
