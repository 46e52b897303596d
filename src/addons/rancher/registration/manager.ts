import { splitManifests } from "../../../clients/helm/index.ts";
import { conditionOf, type KubeClient, type KubeObject, type Manifest } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { manifestOdd } from "./errors.ts";

/** A cluster as Rancher knows it. */
export interface RancherCluster extends KubeObject {
  status?: { clusterName?: string };
}

const namespace = "fleet-default";
const provisioning = { apiVersion: "provisioning.cattle.io/v1", kind: "Cluster" };
const management = { apiVersion: "management.cattle.io/v3", kind: "Cluster" };

/** What Slipway marks its clusters with; who else is called the same is not touched. */
export const clusterMark = "slipway.dev/cluster";
/** The cluster itself, which a rebuilt one of the same name is not. */
export const identityMark = "slipway.dev/identity";

/** Both would let Rancher change nodes that Slipway looks after. */
const takeOvers = ["rancher.io/imported-cluster-version-management", "rancher.io/operations-enabled"];

const refOf = (name: string) => ({ ...provisioning, namespace, name });

export async function findCluster(
  kube: KubeClient,
  name: string,
  signal: AbortSignal,
): Promise<RancherCluster | undefined> {
  try {
    return await kube.get<RancherCluster>(refOf(name), signal);
  } catch (thrown) {
    // Without Rancher there is no such kind.
    if (thrown instanceof SlipwayError && thrown.code === "KUBE_KIND_UNKNOWN") return undefined;
    throw thrown;
  }
}

/** Clusters of ours that it knows, by name. */
export async function ownClusters(kube: KubeClient, signal: AbortSignal): Promise<string[]> {
  try {
    const { items } = await kube.list<RancherCluster>({ ...provisioning, namespace }, signal);
    return items.filter(isOurs).map(({ metadata }) => metadata.name);
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "KUBE_KIND_UNKNOWN") return [];
    throw thrown;
  }
}

export const isOurs = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[clusterMark] !== undefined;

/** What Rancher is told of a cluster that others have made: nothing but its name, and what to keep away from. */
export const clusterObject = (about: {
  name: string;
  identity: string;
  managesVersion: boolean;
}): Manifest => ({
  ...provisioning,
  metadata: {
    name: about.name,
    namespace,
    annotations: {
      [clusterMark]: about.name,
      [identityMark]: about.identity,
      ...takeOverMarks(about.managesVersion),
      // Who makes it is no user of Rancher.
      "field.cattle.io/no-creator-rbac": "true",
    },
  },
  spec: {},
});

const takeOverMarks = (managesVersion: boolean): Record<string, string> =>
  Object.fromEntries(takeOvers.map((name) => [name, String(managesVersion)]));

/** Whether Rancher may change nodes, as it was told. */
export const managesVersion = ({ metadata }: KubeObject): boolean =>
  takeOvers.some((name) => metadata.annotations?.[name] !== "false");

export const setTakeOver = (kube: KubeClient, name: string, may: boolean, signal: AbortSignal) =>
  kube.patch(refOf(name), { metadata: { annotations: takeOverMarks(may) } }, { signal });

/** Why it is not Active, in Rancher's words; undefined when it is. */
export async function whyNotActive(
  kube: KubeClient,
  cluster: RancherCluster,
  signal: AbortSignal,
): Promise<string | undefined> {
  const id = cluster.status?.clusterName;
  const known = id === undefined ? undefined : await kube.get({ ...management, name: id }, signal);
  if (!known) return "Rancher has not taken it up yet";
  for (const type of ["Connected", "Ready"]) {
    const condition = conditionOf(known, type);
    if (condition?.status === "True") continue;
    const reason = condition?.message ?? condition?.reason;
    return reason === undefined || reason === "" ? `it is not ${type} yet` : reason;
  }
  return undefined;
}

interface RegistrationToken extends KubeObject {
  status?: { token?: string; tokenSecretName?: string };
}

/** Newer ones keep it in a Secret and put a placeholder where older ones had it. Undefined while it is not there yet. */
export async function registrationToken(
  kube: KubeClient,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await kube.get<RegistrationToken>(
    {
      apiVersion: management.apiVersion,
      kind: "ClusterRegistrationToken",
      namespace: id,
      name: "default-token",
    },
    signal,
  );
  const { token = "", tokenSecretName } = found?.status ?? {};
  if (token !== "" && !token.includes("{")) return token;
  if (!found) return undefined;
  const name = tokenSecretName ?? "crt-token-default-token";
  const secret = await kube.get<KubeObject & { data?: Record<string, string> }>(
    { apiVersion: "v1", kind: "Secret", namespace: id, name },
    signal,
  );
  const data = secret?.data?.["token"];
  return data === undefined ? undefined : Buffer.from(data, "base64").toString();
}

/** What the cluster is to run so that it finds its way to Rancher. Asked through the API server, which needs no DNS and trusts nobody new. */
export async function agentManifests(
  kube: KubeClient,
  about: { cluster: string; id: string; token: string },
  signal: AbortSignal,
): Promise<Manifest[]> {
  const { cluster, id, token } = about;
  const answer = await kube.proxyGet(
    {
      kind: "services",
      namespace: "cattle-system",
      name: "rancher",
      port: 443,
      isTls: true,
      path: `/v3/import/${encodeURIComponent(`${token}_${id}`)}.yaml`,
    },
    signal,
  );
  const objects = typeof answer === "string" ? splitManifests(answer) : [];
  if (
    !objects.some(({ kind, metadata }) => kind === "Deployment" && metadata.name === "cattle-cluster-agent")
  )
    throw manifestOdd({ cluster, why: "what Rancher hands out for it holds no agent" });
  return objects;
}

export const removeCluster = (kube: KubeClient, name: string, signal: AbortSignal): Promise<boolean> =>
  kube.delete(refOf(name), { signal });

/** Takes away what keeps it from going: both objects, as Rancher has them. Only for clusters of ours that are gone themselves. */
export async function letGo(kube: KubeClient, name: string, id: string | undefined, signal: AbortSignal) {
  const bare = { metadata: { finalizers: [] } };
  const refs = [...(id === undefined ? [] : [{ ...management, name: id }]), refOf(name)];
  for (const ref of refs) if (await kube.get(ref, signal)) await kube.patch(ref, bare, { signal });
}
