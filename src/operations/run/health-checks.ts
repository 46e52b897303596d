import {
  cniReady,
  dnsResolves,
  healthFacts,
  kubernetesVersion,
  needsApi,
  nodesReady,
  openProbes,
  podsReach,
  storageWrites,
  type HealthFacts,
  type ProbeOptions,
  type Probes,
} from "../../checks/index.ts";
import type { KubeClient } from "../../clients/kube/index.ts";
import { runChecklist, type CheckResult } from "../../engine/index.ts";
import type { Check, EventBody } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { addonWorld } from "../planning/addon-world.ts";
import type { Parts } from "../planning/assemble.ts";
import { noApiYet } from "../errors.ts";

export interface HealthRequest {
  /** Add-ons are part of what was brought up. */
  hasAddons: boolean;
  /** With pods that try the network and the storage, not only with looks. */
  probes?: Omit<ProbeOptions, "wall" | "random"> | undefined;
}

export interface HealthChecks extends AsyncDisposable {
  checks: Check[];
}

/** What a healthy cluster shows, from its distribution up to its add-ons. The caller closes it, which removes the probes. */
export async function healthChecks(
  { distribution, addons, factsOf }: Parts,
  cluster: Cluster,
  request: HealthRequest,
  world: World,
): Promise<HealthChecks> {
  const below = distribution.health(cluster);
  const { kubernetes } = factsOf(cluster);
  if (!kubernetes) return { checks: below, async [Symbol.asyncDispose]() {} };
  const { openKube } = addonWorld(world, distribution);
  let opened: KubeClient | undefined;
  const facts = healthFacts(cluster, async () => {
    opened ??= await openKube(cluster);
    if (!opened) throw noApiYet(cluster.name);
    return opened;
  });
  const probes =
    request.probes && openProbes(facts, { ...request.probes, wall: world.wall, random: world.random });
  const installed = request.hasAddons ? await addons.health(cluster) : [];
  return {
    checks: [
      ...below,
      ...(kubernetes.hasNetworkInside ? [] : [cniReady(facts)]),
      nodesReady(facts),
      ...(probes ? tried(facts, probes) : []),
      ...installed.map((check) => ({ ...check, needs: needsApi })),
      kubernetesVersion(facts, kubernetes.version),
    ],
    async [Symbol.asyncDispose]() {
      await probes?.close();
      opened?.close();
    },
  };
}

const storageClassesOf = ({ addons }: Cluster) =>
  addons
    .flatMap(({ facts }) => facts.storageClasses ?? [])
    .map(({ name, access }) => ({ storageClass: name, access }));

const tried = (facts: HealthFacts, probes: Probes): Check[] => [
  dnsResolves(facts.cluster.name, probes),
  podsReach(facts.cluster.name, probes),
  storageWrites(facts, storageClassesOf(facts.cluster), probes),
];

/** A new etcd member learns before it votes, and a CNI restarts its agents once: real clusters are through within a minute. */
const settleMs = 120_000;
const againMs = 3_000;

/**
 * The checklist of a cluster that has just been brought up. It is told once: as soon as all of it holds, or when the cluster
 * has had its time. Looks only: pods that try the network and the storage are for "verify".
 */
export async function verifySettled(
  parts: Parts,
  cluster: Cluster,
  wanted: { hasAddons: boolean },
  world: World,
): Promise<CheckResult[]> {
  const { clock, stop, tell } = world;
  const until = clock.now() + settleMs;
  let lastSeen = "";
  for (;;) {
    const told: EventBody[] = [];
    const results = await look(parts, cluster, wanted, { ...world, tell: (event) => void told.push(event) });
    const failing = results
      .filter(({ status }) => status === "failed")
      .map(({ check }) => check.failing ?? check.title);
    if (failing.length === 0 || clock.now() >= until) {
      for (const event of told) tell(event);
      return results;
    }
    const seen = `${cluster.name} is not healthy yet: ${failing.join(", ")}; looking again`;
    if (seen !== lastSeen) tell({ type: "log", level: "info", text: seen });
    lastSeen = seen;
    await clock.sleep(againMs, stop);
  }
}

async function look(
  parts: Parts,
  cluster: Cluster,
  wanted: { hasAddons: boolean },
  world: World,
): Promise<CheckResult[]> {
  const { clock, stop, tell } = world;
  await using health = await healthChecks(parts, cluster, wanted, world);
  return await runChecklist("verify", cluster.name, health.checks, { clock, signal: stop, tell });
}
