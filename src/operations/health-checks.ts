import { storageClassesOf } from "../addons/index.ts";
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
} from "../checks/index.ts";
import type { KubeClient } from "../clients/kube/index.ts";
import type { Check } from "../plan/index.ts";
import { isK3s, type Cluster } from "../spec/index.ts";
import type { World } from "../world.ts";
import { addonWorld } from "./addon-world.ts";
import type { Parts } from "./assemble.ts";
import { noApiYet } from "./errors.ts";

export interface HealthRequest {
  /** Add-ons are part of what was brought up. */
  hasAddons: boolean;
  /** With pods that try the network and the storage, not only with looks. */
  probes?: Omit<ProbeOptions, "wall" | "random">;
}

export interface HealthChecks extends AsyncDisposable {
  checks: Check[];
}

/** What a healthy cluster shows, from its distribution up to its add-ons. Whoever asks closes it, which removes the probes. */
export async function healthChecks(
  { distribution, addons }: Parts,
  cluster: Cluster,
  request: HealthRequest,
  world: World,
): Promise<HealthChecks> {
  const below = distribution.health(cluster);
  if (distribution.apiStep(cluster) === undefined) return { checks: below, async [Symbol.asyncDispose]() {} };
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
      ...(hasNetworkInside(cluster) ? [] : [cniReady(facts)]),
      nodesReady(facts),
      ...(probes ? tried(facts, probes) : []),
      ...installed.map((check) => ({ ...check, needs: needsApi })),
      kubernetesVersion(facts),
    ],
    async [Symbol.asyncDispose]() {
      await probes?.close();
      opened?.close();
    },
  };
}

/** K3s brings Flannel as a part of itself: there is no agent to look at, and nodes are not Ready without it. */
const hasNetworkInside = (cluster: Cluster): boolean =>
  isK3s(cluster) && cluster.kubernetesSettings?.cni !== "none";

const tried = (facts: HealthFacts, probes: Probes): Check[] => [
  dnsResolves(facts.cluster.name, probes),
  podsReach(facts.cluster.name, probes),
  storageWrites(facts, storageClassesOf(facts.cluster), probes),
];
