import type { TalosService } from "../../../clients/talos/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { apiAnswers, type ApiWant, notReady, waitForNodes, type NodesWant } from "../../kubernetes/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { releaseFinished } from "../upgrade/cordon.ts";
import {
  type KubeNode,
  askingNode,
  isPending,
  servingObjection,
  type KubeClient,
  type KubeSigningRequest,
} from "../../../clients/kube/index.ts";
import { defineResource, same } from "../../../plan/index.ts";
import { readCertificateRequest } from "../../../pki/index.ts";

/** The Kubernetes API of a Talos cluster; while it is silent, its first control plane says what it waits for. */
export const talosKubernetesApi = (access: TalosAccess) =>
  apiAnswers("talos/api", {
    kube: (cluster, server) => access.kube(cluster, server),
    causeOf: (want) => unmetConditions(access, want),
  });

/** What the control plane itself still waits for; of a service that does not run, what it says of itself. */
async function unmetConditions(access: TalosAccess, want: ApiWant): Promise<string | undefined> {
  const { node, address } = want.controlPlane;
  try {
    return await access.using(want.cluster, address, async (client) => {
      const first = (await client.machineStatus())?.unmet[0];
      if (first === undefined) return undefined;
      const failed = first.name === "services" ? (await client.services()).find(hasFailed) : undefined;
      return failed
        ? `${node}: ${failed.id} is Failed: ${failed.lastEvent.split("\n")[0] ?? ""}`
        : `${node}: ${first.name} ${first.reason}`;
    });
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return undefined;
    throw thrown;
  }
}

const hasFailed = ({ state }: TalosService): boolean => state === "Failed";

interface NodesHave {
  ready: number;
}

/** Every node of the file is registered with Kubernetes and Ready. */
export const talosNodesReady = (access: TalosAccess) =>
  defineResource<NodesWant, NodesHave>({
    kind: "talos/nodes",
    face: () => ({ label: "Nodes Ready" }),

    async read(_ctx, want) {
      try {
        const missing = notReady(want.nodes, await listNodes(access, want));
        return missing.length === 0 ? { ready: want.nodes.length } : undefined;
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return undefined;
        throw thrown;
      }
    },

    compare: () => same,

    async create(ctx, want) {
      await waitForNodes(ctx, want, async () => {
        const nodes = await listNodes(access, want);
        for (const node of await approve(access, want))
          ctx.log("info", `approved the serving certificate of ${node}`);
        return nodes;
      });
      await releaseFinished(await access.kube(want.cluster, want.endpoint));
      return { ready: want.nodes.length };
    },

    update: async (_ctx, _want, have) => have,
    remove: async () => {},
    out: (have) => ({ ready: have.ready }),
  });

async function approve(access: TalosAccess, want: NodesWant): Promise<string[]> {
  return approveServingCertificates(await access.kube(want.cluster, want.endpoint), want.nodes);
}

async function listNodes(access: TalosAccess, want: NodesWant): Promise<KubeNode[]> {
  return (await access.kube(want.cluster, want.endpoint)).nodes();
}

/** A node of the file, and what its serving certificate may be for. */
interface KnownNode {
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
