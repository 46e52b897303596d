import { isNodeReady, type KubeNode } from "../../../../clients/kube/index.ts";
import type { TalosClient } from "../../../../clients/talos/index.ts";
import type { Seen, StepContext } from "../../../../plan/index.ts";
import { seeDoctor } from "../../../kubernetes/index.ts";
import {
  encodeMachineConfig,
  imageInVersion,
  imageOf,
  readDocuments,
  settledFacts,
  versionOfImage,
  withImage,
  withoutVip,
  type Component,
  type MachineConfigDocument,
} from "../../config/index.ts";
import { hasFollowedConfig, laggingPod, writtenVersions } from "../../steps/node/static-pods.ts";
import { keepEtcdSnapshot } from "../etcd-snapshot.ts";
import { passGates } from "../gates.ts";
import { applyManifests } from "./apply-manifests.ts";
import type { KubernetesNode, KubernetesSite as Site } from "./kubernetes-want.ts";

const partWait = { deadlineMs: 5 * 60_000, everyMs: 1_000, usualMs: 20_000 };
const pullMs = 10 * 60_000;
const staticPods = ["kube-apiserver", "kube-controller-manager", "kube-scheduler"] as const;

/**
 * Part by part across all nodes, never node by node: no part is ever newer than the API servers it talks to. What has the
 * version already is only looked at, so that a run that was cut goes on where it was.
 */
export async function rollKubernetes(site: Site): Promise<void> {
  const { access, ctx, want } = site;
  const controlPlanes = want.nodes.filter(({ role }) => role === "control-plane");
  const [first] = controlPlanes;
  if (!first) return;
  await ctx.rolling(`${want.cluster}/restart`, async () => {
    const told = counting(ctx, controlPlanes.length * staticPods.length + want.nodes.length + 1);
    await passGates(access, ctx, gateOf(site, first), nobody);
    for (const node of want.nodes) await pullImages(site, node);
    const source = { cluster: want.cluster, ...first };
    await keepEtcdSnapshot(access, ctx, source, `etcd-before-kubernetes-${want.version}.db`);
    for (const part of staticPods)
      for (const node of controlPlanes) await told(rollStaticPod(site, node, part));
    for (const node of controlPlanes) await nameProxy(site, node);
    for (const node of controlPlanes) await told(rollKubelet(site, node, nobody));
    await rollWorkers(site, (node, others) => told(rollKubelet(site, node, others)));
    await told(applyManifests(site, first));
  });
}

const nobody = (): string[] => [];

/** Batch by batch, as everything that rolls: the next one begins when all of the last have their version. */
async function rollWorkers(
  { want }: Site,
  roll: (node: KubernetesNode, others: () => string[]) => Promise<void>,
): Promise<void> {
  const workers = want.nodes.filter(({ role }) => role === "worker");
  for (let start = 0; start < workers.length; start += want.workersAtOnce) {
    const batch = workers.slice(start, start + want.workersAtOnce);
    const results = await Promise.allSettled(
      batch.map((node) => roll(node, () => batch.map((each) => each.node))),
    );
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }
}

function counting(ctx: StepContext, total: number): (work: Promise<void>) => Promise<void> {
  let done = 0;
  return async (work) => {
    await work;
    done += 1;
    ctx.progress(done, total, "steps");
  };
}

const asking = <T>(
  { access, want }: Site,
  { address }: KubernetesNode,
  call: (node: TalosClient) => Promise<T>,
): Promise<T> => access.using(want.cluster, address, call);

const configOf = (site: Site, node: KubernetesNode): Promise<MachineConfigDocument[]> =>
  asking(site, node, async (client) => readDocuments((await client.machineConfig()) ?? "", node.node));

/** Before anything stops: a registry that does not answer is found while all still run. */
async function pullImages(site: Site, node: KubernetesNode): Promise<void> {
  const { ctx, want } = site;
  const documents = await configOf(site, node);
  for (const part of [...staticPods, "kubelet"] as const) {
    const image = imageOf(documents, part);
    if (image === undefined || versionOfImage(image) === want.version) continue;
    const namespace = part === "kubelet" ? ("system" as const) : ("cri" as const);
    await asking(site, node, (client) =>
      client.pullImage(imageInVersion(image, want.version), {
        namespace,
        timeoutMs: pullMs,
        signal: ctx.signal,
      }),
    );
  }
}

/** The config with the wanted image of one part; undefined where it has that already, or does without that part. */
async function withPart(
  site: Site,
  node: KubernetesNode,
  part: Component,
): Promise<MachineConfigDocument[] | undefined> {
  const documents = await configOf(site, node);
  const image = imageOf(documents, part);
  if (image === undefined || versionOfImage(image) === site.want.version) return undefined;
  return withImage(documents, part, imageInVersion(image, site.want.version));
}

async function apply(site: Site, node: KubernetesNode, documents: MachineConfigDocument[]): Promise<void> {
  await asking(site, node, (client) =>
    client.applyConfig(encodeMachineConfig(documents), { mode: "no-reboot" }),
  );
}

async function rollStaticPod(
  site: Site,
  node: KubernetesNode,
  part: (typeof staticPods)[number],
): Promise<void> {
  const documents = await withPart(site, node, part);
  if (documents) {
    site.ctx.demandOpen();
    await passGates(site.access, site.ctx, gateOf(site, node), nobody);
    const before = await writtenVersion(site, node, part);
    // The shared address stays where it is while the API server below it starts again, so it is moved away before.
    const isHandingOver = part === "kube-apiserver" && (await canHandVipOver(site, node, documents));
    await apply(site, node, isHandingOver ? withoutVip(documents) : documents);
    await untilRewritten(site, node, part, before);
    await untilPodsRun(site, node);
    if (isHandingOver) await apply(site, node, documents);
  } else await untilFollowed(site, node);
  await untilPodsRun(site, node);
}

/** A run that was cut may have brought the config a moment ago, and the pods that run are not yet those of it. */
async function untilFollowed(site: Site, node: KubernetesNode): Promise<void> {
  const { access, ctx, want } = site;
  const openKube = () => access.kube(want.cluster, want.endpoint);
  const what = `${node.node} to write the static pods of its config`;
  await ctx.waitFor(
    { ...partWait, probe: "grpc", what, next: seeDoctor(want.cluster) },
    async (): Promise<Seen<true>> => {
      const now = ctx.clock.now();
      const isDone = await asking(site, node, (client) =>
        hasFollowedConfig(client, node.node, now, openKube),
      );
      return isDone ? { done: true, value: true } : { done: false, seen: "it has taken a config just now" };
    },
  );
}

const gateOf = ({ want }: Site, { node }: KubernetesNode) => ({
  cluster: want.cluster,
  endpoint: want.endpoint,
  node,
  controlPlanes: want.nodes.filter(({ role }) => role === "control-plane"),
});

/**
 * It carries the shared address, and another control plane would take it. Runs that were cut while one after the other had handed it
 * over may have left it to this one alone: then it stays, and is away for as long as one API server takes to start.
 */
async function canHandVipOver(
  site: Site,
  node: KubernetesNode,
  documents: MachineConfigDocument[],
): Promise<boolean> {
  const { vip } = settledFacts(documents);
  const isHolder = await asking(site, node, async (client) =>
    (await client.addresses()).some(({ cidr }) => cidr.split("/")[0] === vip),
  );
  if (!isHolder) return false;
  const others = site.want.nodes.filter(
    (other) => other.role === "control-plane" && other.node !== node.node,
  );
  const configs = await Promise.all(others.map((other) => configOf(site, other)));
  return configs.some((config) => settledFacts(config).vip === vip);
}

const writtenVersion = (site: Site, node: KubernetesNode, part: string): Promise<string | undefined> =>
  asking(site, node, async (client) => (await writtenVersions(client)).get(part));

async function untilRewritten(
  site: Site,
  node: KubernetesNode,
  part: string,
  before: string | undefined,
): Promise<void> {
  const what = `${node.node} to write ${part} ${site.want.version}`;
  await site.ctx.waitFor(
    { ...partWait, probe: "grpc", what, next: seeDoctor(site.want.cluster) },
    async (): Promise<Seen<true>> =>
      (await writtenVersion(site, node, part)) === before
        ? { done: false, seen: "Talos has not written it yet" }
        : { done: true, value: true },
  );
}

async function untilPodsRun(site: Site, node: KubernetesNode): Promise<void> {
  const { access, ctx, want } = site;
  const what = `the static pods of ${node.node} to run as they are written`;
  await ctx.waitFor(
    { ...partWait, probe: "https", what, next: seeDoctor(want.cluster) },
    async (): Promise<Seen<true>> => {
      const written = await asking(site, node, writtenVersions);
      const lag = await laggingPod(await access.kube(want.cluster, want.endpoint), node.node, written);
      return lag === undefined ? { done: true, value: true } : { done: false, seen: lag };
    },
  );
}

/** Only named: its pods change when the manifests are applied. */
async function nameProxy(site: Site, node: KubernetesNode): Promise<void> {
  const documents = await withPart(site, node, "kube-proxy");
  if (documents) await apply(site, node, documents);
}

/** Pods run on while their kubelet starts again. */
async function rollKubelet(site: Site, node: KubernetesNode, others: () => string[]): Promise<void> {
  const { access, ctx, want } = site;
  const documents = await withPart(site, node, "kubelet");
  if (documents) {
    ctx.demandOpen();
    await passGates(access, ctx, gateOf(site, node), others);
    await apply(site, node, documents);
  }
  const what = `the kubelet of ${node.node} to run ${want.version}`;
  await ctx.waitFor(
    { ...partWait, probe: "https", what, next: seeDoctor(want.cluster) },
    async (): Promise<Seen<true>> => {
      const services = await asking(site, node, (client) => client.services());
      const kubelet = services.find(({ id }) => id === "kubelet");
      if (kubelet?.state !== "Running" || kubelet.isHealthy === false)
        return { done: false, seen: `its service is ${kubelet?.state ?? "not there"}` };
      const kube = await access.kube(want.cluster, want.endpoint);
      const found = await kube.get<KubeNode>({ apiVersion: "v1", kind: "Node", name: node.node });
      const version = found?.status?.nodeInfo?.kubeletVersion.replace(/^v/, "");
      if (version !== want.version) return { done: false, seen: `Kubernetes sees ${version ?? "nothing"}` };
      return found && isNodeReady(found)
        ? { done: true, value: true }
        : { done: false, seen: "it is not Ready" };
    },
  );
}
