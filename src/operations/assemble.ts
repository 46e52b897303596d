import { addonsIn, type Addons } from "../addons/index.ts";
import { connectKube } from "../clients/kube/index.ts";
import { k3sDistribution } from "../distros/k3s/index.ts";
import { linuxDistribution } from "../distros/linux/index.ts";
import { talosDistribution } from "../distros/talos/index.ts";
import {
  placeNodes,
  withTopology,
  VmidLedger,
  type AnyResource,
  type Distribution,
  type Graph,
  type MachinePlace,
  type PlacedNode,
  type Provider,
  type ReadContext,
  type StepId,
  type Survey,
} from "../plan/index.ts";
import { libvirtProvider } from "../providers/libvirt/index.ts";
import { proxmoxProvider } from "../providers/proxmox/index.ts";
import { rancherRegistration, type RancherWorld } from "../rancher/index.ts";
import { accountStore, k3sStore, secretStore, sshKeyStore } from "../secrets/index.ts";
import type { Cluster, Fleet, Host } from "../spec/index.ts";
import type { World } from "../world.ts";
import { addonWorld } from "./addon-world.ts";
import { fleetDistribution } from "./fleet-distribution.ts";
import { fleetProvider } from "./fleet-provider.ts";
import { afterOthers, withRegistrations } from "./relations.ts";

/** The parts a fleet is made of, wired to the world. */
export interface Parts {
  provider: Provider;
  distribution: Distribution;
  addons: Addons;
  /** The API of a cluster, as administrator; undefined before there is one. */
  openKube: RancherWorld["openKube"];
  kinds: Map<string, AnyResource>;
}

export function assemble(world: World): Parts {
  const { wall, random, dial, folder } = world;
  const dialFor = (cluster: string) => world.dialFor(cluster);
  const files = world.secretFiles;
  const keys = sshKeyStore({ folder, random, files });
  const proxmox = proxmoxProvider({
    connect: (host) => world.openProxmox(host),
    connectAs: (host, token) => world.openProxmoxAs(host, token),
    accounts: accountStore(folder, files),
    openFactory: (url) => world.openFactory(url),
    loginKey: async (cluster) => (await keys.login(cluster)).public,
    slipway: world.slipway,
    wall,
    dialFor,
    healthyNodes: (cluster) => distribution.healthyNodes(cluster),
  });
  const libvirt = libvirtProvider({
    connect: (host) => world.openLibvirt(host),
    openFactory: (url) => world.openFactory(url),
    slipway: world.slipway,
    dial,
    dialFor,
    healthyNodes: (cluster) => distribution.healthyNodes(cluster),
    firstConfig: (cluster, node) => talos.firstConfig(cluster, node),
    guestKeys: async (cluster, node) => ({
      host: (await keys.host(cluster, node)).private,
      login: (await keys.login(cluster)).public,
    }),
  });
  const provider = fleetProvider({ proxmox, libvirt });
  const talos = talosDistribution({
    wall,
    random,
    dialFor,
    addressOf: (host) => world.addressOf(host),
    consoles: provider.consoles,
    folder,
    resolveSecret: (ref, what) => world.resolveSecret(ref, what),
    secrets: secretStore({
      folder,
      files,
      clock: wall,
      random,
      ...(world.kind === "rehearsal" && { rsaBits: throwawayBits }),
    }),
    connectKube: (kubeconfig, cluster) => connectKube({ kubeconfig, dial: dialFor(cluster) }),
  });
  const k3s = k3sDistribution({
    wall,
    clock: world.clock,
    random,
    dialFor,
    folder,
    keys,
    cacheFolder: world.cacheFolder,
    fetchFile: (url, into, onProgress) => world.fetchFile(url, into, onProgress),
    resolveSecret: (ref, what) => world.resolveSecret(ref, what),
    secrets: k3sStore({ folder, files, clock: wall, random }),
    connectKube: (kubeconfig, cluster) => connectKube({ kubeconfig, dial: dialFor(cluster) }),
  });
  const linux = linuxDistribution({ dialFor, folder, keys });
  const distribution = fleetDistribution({ talos, linux, k3s });
  const inClusters = addonWorld(world, distribution);
  const addons = addonsIn(inClusters);
  const { openKube } = inClusters;
  const resources = [
    ...provider.resources,
    ...distribution.resources,
    ...addons.resources,
    rancherRegistration({ openKube }),
  ];
  const kinds = new Map(resources.map((known) => [known.kind, known]));
  return { provider, distribution, addons, openKube, kinds };
}

/** Secrets of a rehearsal are thrown away, so nobody waits seconds for a large key. */
const throwawayBits = 2048;

/** Reading is free: a context for it, outside of any step. */
export const readContext = (world: World): ReadContext => ({
  signal: world.stop,
  clock: world.clock,
  log: (level, text) => world.tell({ type: "log", level, text }),
});

/** The hosts these clusters stand on, each once. */
export const hostsOf = (fleet: Fleet, clusters: Cluster[]): Host[] =>
  fleet.hosts.filter((host) => clusters.some((cluster) => cluster.on.includes(host.name)));

export interface Described {
  graph: Graph;
  placed: Map<string, PlacedNode[]>;
}

/** Everything the clusters need, as one graph. */
export async function describeFleet(
  fleet: Fleet,
  clusters: Cluster[],
  survey: Survey,
  parts: Parts,
): Promise<Described> {
  const vmids = new VmidLedger(survey, clusters);
  const placed = placeNodes(clusters, hostsOf(fleet, clusters), survey, vmids);
  const existing = new Set(survey.machines.map((machine) => `${machine.cluster}/${machine.node}`));
  const describe = async (cluster: Cluster): Promise<[string, Graph]> => {
    const machines = parts.provider.describe(cluster, placed.get(cluster.name) ?? [], {
      survey,
      takeVmid: (host, from) => vmids.take(host, from),
      installedStep: (node) => parts.distribution.installedStep(cluster, node),
      ...seedStep(cluster, parts),
    });
    const nodes = await parts.distribution.describe(withTopology(cluster, placed.get(cluster.name) ?? []), {
      stepOf: (node) => parts.provider.machineStep(cluster.name, node),
      existing: cluster.nodes
        .map((node) => node.name)
        .filter((name) => existing.has(`${cluster.name}/${name}`)),
      placeOf: (node) => placeOf(placed.get(cluster.name) ?? [], node),
      ...networkStep(cluster, parts),
    });
    return [cluster.name, [...machines, ...nodes, ...(await describeAddons(cluster, machines, parts))]];
  };
  const described = new Map(await Promise.all(clusters.map(describe)));
  const graphs = withRegistrations(fleet, described);
  const graph = clusters.flatMap((cluster) => afterOthers(cluster, graphs.get(cluster.name) ?? [], graphs));
  return { graph, placed };
}

function placeOf(placed: PlacedNode[], name: string): Pick<MachinePlace, "host" | "vmid"> {
  const found = placed.find(({ node }) => node.name === name);
  if (!found) throw new Error(`node ${name} was not placed`);
  return { host: found.host.name, vmid: found.vmid };
}

const seedStep = (cluster: Cluster, { distribution }: Parts): { seedStep?: StepId } => {
  const step = distribution.seedStep(cluster);
  return step === undefined ? {} : { seedStep: step };
};

const networkStep = (cluster: Cluster, { addons }: Parts): { networkStep?: StepId } => {
  const step = addons.networkStep(cluster);
  return step === undefined ? {} : { networkStep: step };
};

async function describeAddons(
  cluster: Cluster,
  machines: Graph,
  { addons, distribution }: Parts,
): Promise<Graph> {
  const apiStep = distribution.apiStep(cluster);
  const accountSteps = machines.filter(({ kind }) => kind === "proxmox/account").map(({ id }) => id);
  return apiStep === undefined ? [] : addons.describe(cluster, apiStep, accountSteps);
}
