import { addonsIn, type Addons } from "../../addons/steps/index.ts";
import { connectKube } from "../../clients/kube/index.ts";
import { newGuests } from "../../distros/linux-hosts/index.ts";
import {
  type AnyResource,
  type RollingGates,
  type BareMachines,
  type Distribution,
  type DistributionFacts,
  type ProviderFamily,
  type ReadContext,
  type Survey,
} from "../../plan/index.ts";
import { existingProvider } from "../../providers/existing/index.ts";
import { libvirtProvider } from "../../providers/libvirt/index.ts";
import { proxmoxProvider } from "../../providers/proxmox/index.ts";
import { rancherRegistration, type RancherWorld } from "../../addons/rancher/registration/index.ts";
import { accountStore, sshKeyStore, type SshKeyStore } from "../../secrets/index.ts";
import { distributionName, type Cluster, type Fleet, type Host } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { distributionsIn, factsOf } from "../fleet/facts.ts";
import { caNotRotatable, notRecoverable, partNotRotatable } from "./errors.ts";
import { rollingGates } from "./rollout/rolling-gates.ts";
import { quietControllers } from "../restore/quiet-controllers.ts";
import { addonWorld, addonsOf } from "./addon-world.ts";
import { fleetProvider, type FleetSession } from "./fleet-provider.ts";

/** The parts a fleet is made of, wired to the world. */
export interface Parts {
  provider: FleetSession;
  distribution: Distribution;
  addons: Addons;
  /** What the distribution of a cluster says of itself. */
  factsOf(cluster: Cluster): DistributionFacts;
  /** Machines that nobody made, as the distribution of a cluster knows them. */
  bareMachinesOf(cluster: Cluster): BareMachines | undefined;
  /** The API of a cluster, as administrator; undefined before there is one. */
  openKube: RancherWorld["openKube"];
  kinds: Map<string, AnyResource>;
}

/**
 * Wires the parts to the world, for hosts and clusters of one file. They remember nothing of each other's calls: what was
 * planned with some of them can be carried out with others.
 */
export function assemble(world: World, { hosts, clusters }: Pick<Fleet, "hosts" | "clusters">): Parts {
  const { clock, wall, random, calls, redaction, folder } = world;
  const dialFor = (cluster: string) => world.dialFor(cluster);
  const files = world.secretFiles;
  const keys = sshKeyStore({ folder, random, files });
  const clusterNamed = (name: string): Cluster | undefined => clusters.find((each) => each.name === name);
  const gates = rollingGates(
    {
      clusterNamed,
      healthyNodes: (cluster) => distribution.healthyNodes(cluster),
      handOver: async (ctx, cluster, node) => distribution.handOver?.(ctx, cluster, node),
      openKube: (cluster) => openKube(cluster),
    },
    world,
  );
  const firstConfig: AskDistributions["firstConfig"] = async (name, from) => {
    const cluster = clusterNamed(name);
    if (!cluster || !distribution.firstConfig) throw new Error(`no cluster is called ${name}`);
    return distribution.firstConfig(cluster, from);
  };
  const bareMachinesOf = (cluster: Cluster) => families.get(distributionName(cluster))?.bareMachines;
  const provider = fleetProvider(
    providersIn(world, clusters, keys, {
      gates,
      firstConfig,
      bareMachines: bareMachinesOf,
    }),
    hosts,
  );
  const opened = distributionsIn(world).map(({ name, open }): [string, Distribution] => [
    name,
    open({
      ...{ wall, clock, random, calls, redaction, dialFor, folder, keys, secretFiles: files },
      isRehearsal: world.kind === "rehearsal",
      openOwnSsh: (to, signal) => world.openOwnSsh(to, signal),
      addressOf: (host) => world.addressOf(host),
      consoles: provider.consoles,
      gates,
      cacheFolder: world.cacheFolder,
      fetchFile: (url, into, onProgress) => world.fetchFile(url, into, onProgress),
      resolveSecret: (ref, what) => world.resolveSecret(ref, what),
      recoverySource(cluster) {
        if (!world.recoverySource) throw new Error(`${cluster} is not restored`);
        return world.recoverySource(cluster);
      },
      connectKube: (kubeconfig, cluster) => connectKube({ kubeconfig, clock, calls, dial: dialFor(cluster) }),
    }),
  ]);
  const families = new Map(opened);
  const distribution = fleetDistribution(families);
  const inClusters = addonWorld(world, distribution);
  const addons = addonsIn(inClusters, addonsOf(world));
  const { openKube } = inClusters;
  const resources = [
    ...provider.resources,
    ...distribution.resources,
    ...addons.resources,
    rancherRegistration({ openKube }),
    quietControllers({ clusterNamed, openKube }),
  ];
  const kinds = new Map(resources.map((known) => [known.kind, known]));
  return {
    ...{ provider, distribution, addons, bareMachinesOf, openKube, kinds },
    factsOf: (cluster) => factsOf(cluster, world),
  };
}

/** What providers ask of the distributions of a fleet, which in turn ask for providers: each when it is needed. */
interface AskDistributions {
  gates: RollingGates;
  firstConfig(cluster: string, from: unknown): Promise<string>;
  bareMachines(cluster: Cluster): BareMachines | undefined;
}

/** Every family of hosts, wired to the world. */
function providersIn(
  world: World,
  clusters: readonly Cluster[],
  keys: SshKeyStore,
  { gates, firstConfig, bareMachines }: AskDistributions,
): ProviderFamily[] {
  const { wall, dial, folder } = world;
  const dialFor = (cluster: string) => world.dialFor(cluster);
  const made = newGuests(folder);
  const proxmox = proxmoxProvider({
    connect: (host) => world.openProxmox(host),
    connectAs: (host, token) => world.openProxmoxAs(host, token),
    accounts: accountStore(folder, world.secretFiles),
    openFactory: (url) => world.openFactory(url),
    loginKey: async (cluster, node) => {
      await made.add({ cluster, node });
      return (await keys.login(cluster)).public;
    },
    slipway: world.slipway,
    wall,
    dialFor,
    gates,
  });
  const libvirt = libvirtProvider({
    connect: (host) => world.openLibvirt(host),
    openFactory: (url) => world.openFactory(url),
    slipway: world.slipway,
    dial,
    authorities: world.imageAuthorities,
    dialFor,
    gates,
    firstConfig,
    guestKeys: async (cluster, node) => ({
      host: (await keys.host(cluster, node)).private,
      login: (await keys.login(cluster)).public,
    }),
  });
  const existing = existingProvider({
    clusters,
    bareMachines,
    power: {
      openBmc: (host, machine) => world.openBmc(host, machine),
      wake: (mac) => world.wake(mac),
    },
    dialFor,
  });
  return [proxmox, libvirt, existing];
}

/** Reading is free: a context for it, outside of any step. What a survey has just seen is not asked for again. */
export const readContext = (world: World, survey?: Survey): ReadContext => ({
  signal: world.stop,
  clock: world.clock,
  log: (level, text) => world.tell({ type: "log", level, text }),
  seen: survey?.own,
});

/** The hosts these clusters stand on, each once. */
export const hostsOf = (fleet: Fleet, clusters: Cluster[]): Host[] =>
  fleet.hosts.filter((host) => clusters.some((cluster) => cluster.on.includes(host.name)));

/** One distribution for a fleet whose clusters run several, by name: each goes to the one it runs. */
function fleetDistribution(families: ReadonlyMap<string, Distribution>): Distribution {
  const all = [...families.values()];
  const of = (cluster: Cluster): Distribution => {
    const name = distributionName(cluster);
    const found = families.get(name);
    if (!found) throw new Error(`no distribution is called ${name}`);
    return found;
  };
  return {
    resources: all.flatMap((family) => family.resources),
    describe: (cluster, machines) => of(cluster).describe(cluster, machines),
    apiStep: (cluster) => of(cluster).apiStep(cluster),
    kubeconfig: (cluster) => of(cluster).kubeconfig(cluster),
    installedStep: (cluster, node) => of(cluster).installedStep(cluster, node),
    seedStep: (cluster) => of(cluster).seedStep(cluster),
    firstConfigs: (cluster, described) => of(cluster).firstConfigs?.(cluster, described) ?? new Map(),
    describeLeftovers: (cluster, nodes, stepOf) => of(cluster).describeLeftovers(cluster, nodes, stepOf),
    rollbackStep: (cluster, node) => of(cluster).rollbackStep?.(cluster, node),
    preflight: (cluster, existing) => of(cluster).preflight(cluster, existing),
    health: (cluster) => of(cluster).health(cluster),
    healthyNodes: (cluster) => of(cluster).healthyNodes(cluster),
    leader: async (cluster) => of(cluster).leader?.(cluster),
    handOver: async (ctx, cluster, node) => of(cluster).handOver?.(ctx, cluster, node),
    status: (cluster, signal) => of(cluster).status(cluster, signal),
    remember: (cluster, signal) => of(cluster).remember(cluster, signal),
    inspect: (cluster, signal) => of(cluster).inspect(cluster, signal),
    logs: (cluster, signal) => of(cluster).logs(cluster, signal),
    accessFile: async (cluster, name, endpoints) => of(cluster).accessFile?.(cluster, name, endpoints),
    readDatabase: (cluster, node, signal) => of(cluster).readDatabase?.(cluster, node, signal),
    async firstConfig(cluster, from) {
      const config = await of(cluster).firstConfig?.(cluster, from);
      if (config === undefined) throw new Error(`no node of ${cluster.name} starts with a config`);
      return config;
    },
    async describeCaRotation(cluster, described, wanted) {
      const rotation = await of(cluster).describeCaRotation?.(cluster, described, wanted);
      if (!rotation) throw caNotRotatable(cluster.name);
      return rotation;
    },
    async describeRenewal(cluster, described, part) {
      const renewal = await of(cluster).describeRenewal?.(cluster, described, part);
      if (!renewal) throw partNotRotatable({ cluster: cluster.name, part });
      return renewal;
    },
    measureDatabase: async (cluster, signal) => of(cluster).measureDatabase?.(cluster, signal),
    certificates: async (cluster, signal) =>
      (await of(cluster).certificates?.(cluster, signal)) ?? { certificates: [], rotations: [] },
    copySecrets: (cluster, text) => of(cluster).copySecrets?.(cluster, text) ?? text,
    async recoverSecrets(cluster, credential) {
      const recovered = await of(cluster).recoverSecrets?.(cluster, credential);
      if (!recovered) throw notRecoverable(cluster.name);
      return recovered;
    },
    renewAccess: async (cluster) => (await of(cluster).renewAccess?.(cluster)) ?? [],
    outputs: (cluster) => of(cluster).outputs(cluster),
  };
}
