import type { Graph, GraphNode, RenewablePart, RollingGates, RotationSteps } from "../../../plan/index.ts";
import type { K3sCluster } from "../../../spec/index.ts";
import { demandHealthy, inOrder } from "../../kubernetes/index.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { k3sPaths } from "../paths.ts";
import { withTokens, type NodeWant } from "../steps/node/node-want.ts";
import { hashIn } from "../steps/node/node-files.ts";
import { caRotationFirst, notEncrypted } from "./errors.ts";
import type { CertificatesWant, EncryptionWant, RenewedNodeWant, TokensWant } from "./renewal-steps.ts";

/** A cluster that is renewed, and what is asked of its nodes. */
interface Renewal {
  access: K3sAccess;
  cluster: string;
  servers: GraphNode<NodeWant>[];
  agents: GraphNode<NodeWant>[];
  /** It has not begun, so all nodes have to be there. */
  demandAll(what: string): Promise<void>;
}

/** The steps that are left, read from the nodes and the secrets; servers one after the other, then agents. */
export async function describeRenewal(
  access: K3sAccess,
  gates: RollingGates,
  own: K3sCluster,
  described: Graph,
  part: RenewablePart,
): Promise<RotationSteps> {
  const cluster = own.name;
  const { rotation } = await access.bundle(cluster);
  if (rotation?.stage === "drop") throw caRotationFirst({ cluster, what: part.replace("-", " ") });
  const nodes = described.filter(({ kind }) => kind === "k3s/node") as GraphNode<NodeWant>[];
  const names = nodes.map(({ want }) => want.node);
  const renewal: Renewal = {
    access,
    cluster,
    servers: nodes.filter(({ want }) => want.role === "server"),
    agents: nodes.filter(({ want }) => want.role === "agent"),
    demandAll: (what) => demandHealthy({ cluster, what }, names, gates),
  };
  if (part === "certificates") return certificates(renewal);
  if (part === "tokens") return tokens(renewal);
  if (!own.distribution.settings.encryption) throw notEncrypted({ cluster });
  return encryptionKeys(renewal);
}

const restarts = "K3s of each node starts again, one node at a time; pods run on";

async function certificates(renewal: Renewal): Promise<RotationSteps> {
  const { access, cluster, servers, agents } = renewal;
  const title = "certificates of K3s";
  const first = firstOf(renewal);
  const begun = await access.using(first, (host) => host.read(k3sPaths.certificatesBegun));
  if (begun === undefined) await renewal.demandAll(title);
  const isLeft = async ({ want }: GraphNode<NodeWant>): Promise<boolean> =>
    begun === undefined ||
    begun !== (await access.using(want, (host) => host.read(k3sPaths.certificatesDone)));
  const stage = "all nodes have new certificates, of the same CAs";
  const mark = (id: string, text: string, want: CertificatesWant): GraphNode<CertificatesWant> => ({
    ...common(cluster, stage),
    id: `${cluster}/certificates/${id}`,
    kind: "k3s/certificates",
    name: "certificates",
    title: text,
    want,
    usualMs: 500,
  });
  const step = nodeStep(cluster, title, stage, first);
  const all = [...servers, ...agents].map(({ want }) => want);
  return {
    title,
    steps: inOrder([
      begun === undefined
        ? [mark("begin", `Note on ${first.node} that certificates are made anew`, { first })]
        : [],
      (await filtered(servers, isLeft)).map(step),
      (await filtered(agents, isLeft)).map(step),
      [mark("end", "Note that all nodes have theirs", { first, all })],
    ]),
    warnings: [
      restarts,
      `kubeconfigs are not of these: slipway rotate credentials ${cluster} issues one anew`,
    ],
  };
}

function firstOf({ servers, cluster }: Renewal): NodeWant {
  const [first] = servers;
  if (!first) throw new Error(`${cluster} has no server`);
  return first.want;
}

async function tokens(renewal: Renewal): Promise<RotationSteps> {
  const { access, cluster } = renewal;
  const title = "tokens of K3s";
  const bundle = await access.bundle(cluster);
  const isBehind = async ({ want }: GraphNode<NodeWant>): Promise<boolean> => {
    const config = await access.using(want, (host) => host.read(k3sPaths.configFile));
    const known = hashIn(config);
    return known === undefined || config !== withTokens(want.config, bundle, known);
  };
  const behind = bundle.nextTokens ? [] : await filtered([...renewal.servers, ...renewal.agents], isBehind);
  const isBegun = bundle.nextTokens !== undefined || behind.length > 0;
  if (!isBegun) await renewal.demandAll(title);
  const first = firstOf(renewal);
  const stage = "the cluster has new tokens, and all nodes join with them";
  const told: GraphNode<TokensWant> = {
    ...common(cluster, stage),
    id: `${cluster}/tokens/secrets`,
    kind: "k3s/tokens",
    name: "tokens",
    title: `Give new tokens to K3s on ${first.node}`,
    want: { cluster, first },
    usualMs: 5_000,
  };
  const left = (nodes: GraphNode<NodeWant>[]) =>
    behind.length === 0 ? nodes : nodes.filter((node) => behind.includes(node));
  const step = nodeStep(cluster, title, stage);
  return {
    title,
    steps: inOrder([
      behind.length === 0 ? [told] : [],
      left(renewal.servers).map(step),
      left(renewal.agents).map(step),
    ]),
    warnings: [
      restarts,
      "a server that starts again by itself before its turn does not come up until its turn has come",
      "snapshots from before need the old token: it stays in the secrets, and is in every backup of its time",
    ],
  };
}

async function encryptionKeys(renewal: Renewal): Promise<RotationSteps> {
  const { access, cluster, servers } = renewal;
  const title = "encryption keys of K3s";
  const first = firstOf(renewal);
  const isBegun = await access.using(first, (host) => host.exists(k3sPaths.encryptionMark));
  if (!isBegun) await renewal.demandAll(title);
  const stage = "Secrets are encrypted with a new key, and all servers hold it";
  const keys = (id: string, text: string, want: EncryptionWant): GraphNode<EncryptionWant> => ({
    ...common(cluster, stage),
    id: `${cluster}/encryption-keys/${id}`,
    kind: "k3s/encryption-keys",
    name: "encryption keys",
    title: text,
    want,
    usualMs: 30_000,
  });
  const step = nodeStep(cluster, title, stage);
  return {
    title,
    steps: inOrder([
      [keys("key", "Write all Secrets again with a new key", { cluster, first })],
      ...servers.map((server) => [step(server)]),
      [keys("end", "See that all servers hold the same keys", { cluster, first, isEnd: true })],
    ]),
    warnings: [
      "about five Secrets are written again in a second; no server may restart meanwhile, or Secrets can become unreadable for good",
      "K3s of each server starts again, one at a time; pods run on",
    ],
  };
}

async function filtered<T>(all: T[], isWanted: (one: T) => Promise<boolean>): Promise<T[]> {
  const wanted = await Promise.all(all.map(isWanted));
  return all.filter((_one, index) => wanted[index]);
}

const common = (
  cluster: string,
  stage: string,
): Pick<GraphNode, "group" | "stage" | "cluster" | "after" | "facts"> => ({
  group: "cluster",
  stage: "distro",
  cluster,
  after: [],
  facts: { stage },
});

const nodeStep =
  (cluster: string, field: string, stage: string, certificatesBy?: NodeWant) =>
  ({ want, node, role, atOnce }: GraphNode<NodeWant>): GraphNode<RenewedNodeWant> => ({
    ...common(cluster, stage),
    id: `${cluster}/renewed/${node ?? ""}`,
    kind: "k3s/renewed-node",
    name: `K3s on ${node ?? ""}`,
    title: `Start K3s on ${node ?? ""} with new ${field.replace(" of K3s", "")}`,
    want: { node: want, field, ...(certificatesBy && { certificatesBy }) },
    group: "nodes",
    node,
    role,
    ...(atOnce !== undefined && { atOnce }),
    usualMs: want.role === "server" ? 40_000 : 20_000,
  });
