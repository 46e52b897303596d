import { checkReady, refOf, type KubeClient, type Manifest } from "../../../../clients/kube/index.ts";
import { resourceKinds } from "../../../../clients/talos/index.ts";
import type { Seen } from "../../../../plan/index.ts";
import { seeDoctor } from "../../../kubernetes/index.ts";
import { versionOfImage } from "../../config/index.ts";
import type { KubernetesNode, KubernetesSite as Site } from "./kubernetes-want.ts";

const manifestWait = { deadlineMs: 5 * 60_000, everyMs: 2_000, usualMs: 10_000 };
/** Talos applies under this name from 1.13 on, and notes on each object which list it came from. */
const manager = "talos";
const inventory = "config.k8s.io/owning-inventory";
const proxyName = "kube-proxy";

/** What Talos brought along when the cluster was made, as the config says it now. Talos itself never changes it afterwards. */
export async function applyManifests(site: Site, source: KubernetesNode): Promise<void> {
  const { access, ctx, want } = site;
  const kube = await access.kube(want.cluster, want.endpoint);
  const manifests = await ctx.waitFor(
    { ...manifestWait, probe: "grpc", what: `${source.node} to list its manifests` },
    () => listManifests(site, source),
  );
  const isFirst = ({ kind }: Manifest): boolean => kind === "ConfigMap" || kind === "Secret";
  for (const manifest of [...manifests.filter(isFirst), ...manifests.filter((each) => !isFirst(each))])
    await applyOne(kube, manifest, ctx.signal);
  const proxy = manifests.find(isProxy);
  if (!proxy) return;
  const ref = { apiVersion: "apps/v1", kind: "DaemonSet", namespace: "kube-system", name: proxyName };
  await ctx.waitFor(
    { ...manifestWait, probe: "https", what: "kube-proxy on all nodes", next: seeDoctor(want.cluster) },
    (signal) => checkReady(kube, ref, signal),
  );
}

/** Of this version: Talos makes them from its config a moment after it has taken that. */
async function listManifests({ access, want }: Site, { address }: KubernetesNode): Promise<Seen<Manifest[]>> {
  const listed = await access.using(want.cluster, address, (node) =>
    node.listResources(resourceKinds.manifests),
  );
  const manifests = listed
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap(({ spec }) => (Array.isArray(spec) ? (spec as Manifest[]) : []));
  const version = proxyVersion(manifests.find(isProxy));
  if (version !== undefined && version !== want.version)
    return { done: false, seen: `kube-proxy ${version} is listed` };
  return { done: true, value: manifests };
}

const isProxy = ({ kind, metadata }: Manifest): boolean =>
  kind === "DaemonSet" && metadata.name === proxyName;

function proxyVersion(manifest: Manifest | undefined): string | undefined {
  const { template } = (manifest?.["spec"] ?? {}) as {
    template?: { spec?: { containers?: { image?: string }[] } };
  };
  return versionOfImage(template?.spec?.containers?.[0]?.image ?? "");
}

async function applyOne(kube: KubeClient, manifest: Manifest, signal: AbortSignal): Promise<void> {
  const found = await kube.get(refOf(manifest), signal);
  const owner = found?.metadata.annotations?.[inventory];
  const { metadata } = manifest;
  const annotations = { ...metadata.annotations, ...(owner !== undefined && { [inventory]: owner }) };
  await kube.apply(owner === undefined ? manifest : { ...manifest, metadata: { ...metadata, annotations } }, {
    isForced: true,
    fieldManager: manager,
    signal,
  });
}
