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
import type { Check } from "../../plan/index.ts";
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
