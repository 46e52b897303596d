import path from "node:path";
import { limitTime } from "../../../lib/index.ts";
import type { CertificateLife, CertificateLives } from "../../../plan/index.ts";
import { k3sAuthorityNames, type K3sBundle } from "../../../secrets/index.ts";
import type { K3sCluster, Node } from "../../../spec/index.ts";
import { kubeFacts, lifeOf, lifeOfFile, lifeOfServer } from "../../kubernetes/index.ts";
import { guestOf } from "../../linux-hosts/index.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { k3sPaths } from "../paths.ts";
import { serversOf } from "../step-names.ts";

const apiServerPort = 6443;
const patienceMs = 5_000;

/**
 * The kubeconfig, what each server shows at its API, what each agent shows to them, and the authorities. K3s makes all
 * certificates of a node anew when it starts with less than 120 days left, and only then; so one of each tells for all of it.
 */
export async function certificateLives(
  access: K3sAccess,
  cluster: K3sCluster,
  signal: AbortSignal,
): Promise<CertificateLives> {
  const { name } = cluster;
  const bundle = await access.findBundle(name);
  if (!bundle) return { certificates: [], rotations: [] };
  const { clock } = access.world;
  const dial = access.world.dialFor(name);
  const renewCa = `slipway rotate ca kubernetes ${name}`;
  const renew = `slipway rotate certificates ${name}`;
  const file = path.join(access.folderOf(name), "kubeconfig");
  const seen = await Promise.all([
    lifeOfFile("kubeconfig", file, kubeFacts, `slipway rotate credentials ${name}`),
    ...serversOf(cluster).map(({ name: node, address: host }) =>
      lifeOfServer(`Kubernetes API on ${node}`, { host, port: apiServerPort, dial, clock, signal }, renew),
    ),
    ...cluster.nodes
      .filter(({ role }) => role === "worker")
      .map((node) => lifeOfAgent(access, cluster, node, renew, signal)),
  ]);
  return {
    certificates: [...seen.flat(), ...authorityLives(bundle, renewCa)],
    rotations: bundle.rotation ? [`rotation of the CAs of K3s is under way: ${renewCa} goes on`] : [],
  };
}

/** Nothing where it does not let us in: what keeps it from that is told elsewhere. */
async function lifeOfAgent(
  access: K3sAccess,
  cluster: K3sCluster,
  node: Node,
  renew: string,
  signal: AbortSignal,
): Promise<CertificateLife[]> {
  try {
    const leaf = await limitTime(access.world.clock, patienceMs, "no answer", signal, (limit) =>
      access.using(guestOf(cluster, node), (host) => host.read(k3sPaths.agentLeaf, limit)),
    );
    return lifeOf(`kubelet on ${node.name}`, leaf ?? "", renew);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return [];
  }
}

const authorityTitles: Record<(typeof k3sAuthorityNames)[number], string> = {
  server: "server CA of K3s",
  client: "client CA of K3s",
  requestHeader: "request header CA of K3s",
  etcdPeer: "etcd peer CA of K3s",
  etcdServer: "etcd server CA of K3s",
};

/** They were made together, so mostly the first one stands for all. */
const authorityLives = ({ authorities }: K3sBundle, renew: string): CertificateLife[] =>
  k3sAuthorityNames.flatMap((name) => lifeOf(authorityTitles[name], authorities[name].cert, renew));
