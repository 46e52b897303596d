import {
  askFromPod,
  explainPods,
  fetchLines,
  troubleText,
  type KubeClient,
} from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import {
  defineResource,
  same,
  type Difference,
  type FieldChange,
  type ReadContext,
  type Seen,
  type StepContext,
} from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import { agentComplaint, agentNamespace, isHopeless } from "./agent.ts";
import { agentRefuses, managerUnreachable, rancherNameTaken, rancherNameUnknown } from "./errors.ts";
import {
  agentManifests,
  clusterObject,
  findCluster,
  identityMark,
  isOurs,
  letGo,
  managesVersion,
  registrationToken,
  removeCluster,
  setTakeOver,
  whyNotActive,
  type RancherCluster,
} from "./manager.ts";

export interface RegistrationWant {
  cluster: Cluster;
  manager: Cluster;
  /** Of Rancher. */
  hostname: string;
  managesVersion: boolean;
}

export interface RegistrationHave {
  /** By name: it may be in no file any more. */
  cluster: string;
  manager: Cluster;
  id?: string | undefined;
  managesVersion: boolean;
  /** It was registered before it was made anew. */
  isOfAnother: boolean;
  /** Why it is not Active. */
  fault?: string | undefined;
}

export interface RancherWorld {
  /** The API of a cluster, as administrator; undefined before there is one. */
  openKube(cluster: Cluster): Promise<KubeClient | undefined>;
}

const minute = 60_000;
const activeMs = 15 * minute;
const goodbyeMs = 2 * minute;
const refusedMs = 5 * minute;

/** A cluster that Rancher in another one manages. */
export const rancherRegistration = (world: RancherWorld) =>
  defineResource<RegistrationWant, RegistrationHave>({
    kind: "rancher/registration",
    face: ({ want }) => ({
      noun: "Rancher registration",
      label: "Rancher registration",
      planLine: {
        title: "registration",
        text: `with Rancher of ${want.manager.name}: ${rancherRights(want.managesVersion)}`,
      },
    }),

    async read(ctx, want) {
      const { signal } = ctx;
      const kube = await world.openKube(want.manager);
      const found =
        kube && (await unlessUnreachable(ctx, want, () => findCluster(kube, want.cluster.name, signal)));
      if (!found) return undefined;
      if (!isOurs(found)) throw rancherNameTaken({ cluster: want.cluster.name, manager: want.manager.name });
      const fault = await whyNotActive(kube, found, signal);
      const id = found.status?.clusterName;
      return {
        cluster: want.cluster.name,
        manager: want.manager,
        id,
        managesVersion: managesVersion(found),
        isOfAnother: await isAnother(world, want, found, signal),
        fault,
      };
    },

    compare: compareRegistration,

    create: (ctx, want) => register(ctx, world, want),

    async update(ctx, want, have) {
      const kube = await managerOf(world, want.manager, want.cluster.name);
      await setTakeOver(kube, want.cluster.name, want.managesVersion, ctx.signal);
      return have.fault === undefined ? have : register(ctx, world, want);
    },

    remove: (ctx, have) => unregister(ctx, world, have),

    out: ({ id }) => ({ rancher: id }),
  });

const rancherRights = (isManager: boolean): string =>
  isManager
    ? "it may change versions and nodes; Slipway then must not"
    : "it watches and deploys; versions and nodes stay with Slipway";

export function compareRegistration(want: RegistrationWant, have: RegistrationHave): Difference {
  if (have.isOfAnother) {
    const fields = [{ field: "cluster", from: "its predecessor", to: "this one" }];
    return { same: false, action: "replace", consequence: "replace", fields };
  }
  const fields: FieldChange[] = [
    ...(have.fault === undefined ? [] : [{ field: "state", from: have.fault, to: "Active" }]),
    ...(have.managesVersion === want.managesVersion
      ? []
      : [
          {
            field: "Rancher changes nodes",
            from: have.managesVersion ? "yes" : "no",
            to: want.managesVersion ? "yes" : "no",
          },
        ]),
  ];
  if (fields.length === 0) return same;
  // From then on Rancher restarts nodes when it sees fit.
  const isHandedOver = want.managesVersion && !have.managesVersion;
  return { same: false, action: "update", consequence: isHandedOver ? "disturb" : "hot", fields };
}

const unreachableCodes = new Set(["KUBE_UNREACHABLE", "KUBE_TIMEOUT"]);

/** A manager that is gone knows nobody; what is to be registered with it fails then, and says why. */
async function unlessUnreachable<T>(
  ctx: ReadContext,
  { cluster, manager }: RegistrationWant,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || !unreachableCodes.has(thrown.code)) throw thrown;
    ctx.log("warn", `cannot tell whether Rancher of ${manager.name} knows ${cluster.name}: ${thrown.why}`);
    return undefined;
  }
}

/** A cluster made anew under the old name never becomes Active under the old registration. */
async function isAnother(
  world: RancherWorld,
  { cluster }: RegistrationWant,
  { metadata }: RancherCluster,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const kube = await world.openKube(cluster);
    const identity = kube && (await identityOf(kube, signal));
    const known = metadata.annotations?.[identityMark];
    return identity !== undefined && known !== undefined && identity !== known;
  } catch (thrown) {
    if (thrown instanceof SlipwayError) return false;
    throw thrown;
  }
}

/** What no two clusters share, and a restart does not change. */
async function identityOf(kube: KubeClient, signal: AbortSignal): Promise<string> {
  const system = await kube.get({ apiVersion: "v1", kind: "Namespace", name: "kube-system" }, signal);
  return system?.metadata.uid ?? "";
}

async function managerOf(world: RancherWorld, manager: Cluster, cluster: string): Promise<KubeClient> {
  const kube = await world.openKube(manager);
  if (!kube) throw managerUnreachable({ cluster, manager: manager.name });
  return kube;
}

async function register(
  ctx: StepContext,
  world: RancherWorld,
  want: RegistrationWant,
): Promise<RegistrationHave> {
  const { cluster, manager } = want;
  const above = await managerOf(world, manager, cluster.name);
  const below = await managerOf(world, cluster, cluster.name);
  await reachName(ctx, below, want);
  const identity = await identityOf(below, ctx.signal);
  const { id, token } = await announce(ctx, above, want, identity);
  const manifests = await agentManifests(above, { cluster: cluster.name, id, token }, ctx.signal);
  for (const manifest of manifests) await below.apply(manifest, { isForced: true, signal: ctx.signal });
  await waitActive(ctx, above, below, cluster.name);
  return {
    cluster: cluster.name,
    manager,
    id,
    managesVersion: want.managesVersion,
    isOfAnother: false,
  };
}

/** Agents find Rancher by its name, from inside of the pods' network: most registrations that hang do so here. */
async function reachName(ctx: StepContext, kube: KubeClient, { cluster, hostname }: RegistrationWant) {
  let last = "";
  try {
    await ctx.waitFor(
      {
        what: `https://${hostname} to answer a pod of ${cluster.name}`,
        probe: "kubernetes",
        deadlineMs: 3 * minute,
        usualMs: 8_000,
        everyMs: 5_000,
      },
      async (signal): Promise<Seen<true>> => {
        const question = {
          namespace: "slipway-registration",
          labels: { "app.kubernetes.io/managed-by": "slipway", "slipway.dev/proof": "registration" },
          lines: fetchLines(`https://${hostname}/ping`),
          tryMs: minute,
        };
        const answer = await askFromPod(kube, question, { clock: ctx.clock, signal });
        const said = "said" in answer ? answer.said.trim() : answer.unreachableBecause;
        if ("said" in answer && said.endsWith("pong")) return { done: true, value: true };
        last = said.split("\n").at(-1) || "nothing comes back";
        return { done: false, seen: last };
      },
    );
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "RUN_WAIT_TOO_LONG")
      throw rancherNameUnknown({ cluster: cluster.name, hostname, why: last });
    throw thrown;
  }
}

/** Tells Rancher of the cluster, and waits for the id and the token it gives out. */
async function announce(
  ctx: StepContext,
  kube: KubeClient,
  { cluster, managesVersion: may }: RegistrationWant,
  identity: string,
): Promise<{ id: string; token: string }> {
  const manifest = clusterObject({ name: cluster.name, identity, managesVersion: may });
  return ctx.waitFor(
    {
      what: `Rancher to take up ${cluster.name}`,
      probe: "kubernetes",
      deadlineMs: refusedMs,
      usualMs: 5_000,
      everyMs: 1_000,
    },
    async (signal): Promise<Seen<{ id: string; token: string }>> => {
      try {
        const found =
          (await findCluster(kube, cluster.name, signal)) ??
          (await kube.create<RancherCluster>(manifest, signal));
        const id = found.status?.clusterName;
        if (id === undefined) return { done: false, seen: "it has no id yet" };
        const token = await registrationToken(kube, id, signal);
        return token === undefined
          ? { done: false, seen: `${id} has no token yet` }
          : { done: true, value: { id, token } };
      } catch (thrown) {
        // Its webhook takes a while after every start, and refuses all writes until then.
        if (
          thrown instanceof SlipwayError &&
          /no endpoints available|failed calling webhook/.test(thrown.why)
        )
          return { done: false, seen: thrown.why };
        throw thrown;
      }
    },
  );
}

async function waitActive(ctx: StepContext, above: KubeClient, below: KubeClient, name: string) {
  let looks = 0;
  await ctx.waitFor(
    {
      what: `${name} to be Active in Rancher`,
      probe: "kubernetes",
      deadlineMs: activeMs,
      usualMs: 90_000,
      everyMs: 2_000,
      next: `See what its agent says: slipway kubectl ${name} -- logs -n cattle-system deploy/cattle-cluster-agent`,
    },
    async (signal): Promise<Seen<true>> => {
      const found = await findCluster(above, name, signal);
      const fault = found ? await whyNotActive(above, found, signal) : "Rancher does not know it";
      // It may be Active for a moment before it is connected.
      looks = fault === undefined ? looks + 1 : 0;
      if (looks >= 2) return { done: true, value: true };
      if (fault === undefined) return { done: false, seen: "Active, checking once more" };
      const complaint = await agentComplaint(below, signal);
      if (complaint !== undefined && isHopeless(complaint)) throw agentRefuses({ cluster: name, complaint });
      const troubles = await explainPods(below, { namespace: agentNamespace }, signal);
      const cause = complaint ?? (troubles.length > 0 ? troubleText(troubles) : undefined);
      return { done: false, seen: fault, cause };
    },
  );
}

/** While both can be reached Rancher cleans up after itself. What is left after a while is let go by force. */
async function unregister(ctx: StepContext, world: RancherWorld, have: RegistrationHave): Promise<void> {
  const { cluster, manager, id } = have;
  const kube = await managerOf(world, manager, cluster);
  if (!(await removeCluster(kube, cluster, ctx.signal))) return;
  try {
    await ctx.waitFor(
      {
        what: `Rancher to forget ${cluster}`,
        probe: "kubernetes",
        deadlineMs: goodbyeMs,
        usualMs: 20_000,
        everyMs: 2_000,
      },
      async (signal): Promise<Seen<true>> =>
        (await findCluster(kube, cluster, signal))
          ? { done: false, seen: "it is still cleaning up" }
          : { done: true, value: true },
    );
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || thrown.code !== "RUN_WAIT_TOO_LONG") throw thrown;
    ctx.log("warn", `Rancher did not finish with ${cluster} in time; its record is removed by force`);
    await letGo(kube, cluster, id, ctx.signal);
  }
}
