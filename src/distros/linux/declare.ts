import type {
  DistributionDeclaration,
  AnyResource,
  Consoles,
  Distribution,
  Graph,
  GraphNode,
  MachineSteps,
} from "../../plan/index.ts";
import type { DistributionWorld } from "../distribution-world.ts";
import {
  guestOf,
  renewLogin,
  sshPort,
  hostLogs,
  knownGuests,
  LinuxAccess,
  linuxBareMachines,
  linuxSystem,
  metSteps,
  systemOf,
  systemStep,
  type KnownGuests,
  type LinuxWorld,
  type OnBareLinux,
  type OpenOwnSsh,
} from "../linux-hosts/index.ts";
import { guestsOf, type GuestCluster } from "../../spec/index.ts";
import { linuxAccessFiles } from "./access-files.ts";
import { linuxHealth, askAllNodes } from "./health.ts";
import { askGuestStatuses, inspectGuests } from "./status.ts";

/** Machines from a cloud image, and nothing on them. */
export const linux: DistributionDeclaration<DistributionWorld> = {
  name: "linux",
  accessFiles: [],
  facts: () => ({ title: "Linux", accessFiles: [], answersAt: sshPort }),
  open: linuxDistribution,
};

const patienceMs = 15_000;

const nothingOnIt: OnBareLinux = { signs: [], stop: async () => {}, clean: async () => {} };

/** Plain Linux machines as a distribution, without Kubernetes. */
export function linuxDistribution(
  world: LinuxWorld & { consoles: Consoles; openOwnSsh?: OpenOwnSsh },
): Distribution {
  const access = new LinuxAccess(world);
  const resources: AnyResource[] = [linuxAccessFiles(access), linuxSystem(access, world.consoles)];
  return {
    resources,
    bareMachines: world.openOwnSsh && linuxBareMachines(access, world.openOwnSsh, nothingOnIt),
    describe: async (cluster, machines) => describeLinux(guestsOf(cluster), machines),
    apiStep: () => undefined,
    kubeconfig: async () => undefined,
    installedStep: (cluster, node) => systemStep(cluster.name, node),
    // Only its host remembers a machine.
    seedStep: () => undefined,
    describeLeftovers: () => [],
    preflight: () => [],
    health: (cluster) => linuxHealth(access, guestsOf(cluster)),
    async healthyNodes(cluster) {
      const seen = await askAllNodes(access, guestsOf(cluster), patienceMs);
      return new Set([...seen].flatMap(([name, { complaints }]) => (complaints ? [name] : [])));
    },
    status: (cluster, signal) => askGuestStatuses(access, guestsOf(cluster), signal),
    remember: () => Promise.resolve(new Map()),
    inspect: (cluster, signal) => inspectGuests(access, guestsOf(cluster), signal),
    logs: (cluster, signal) => hostLogs(access, guestsOf(cluster), () => [], signal),
    renewAccess: (cluster) => {
      const own = guestsOf(cluster);
      return renewLogin(
        access,
        own.nodes.map((node) => guestOf(own, node)),
      );
    },
    outputs: (cluster) => ({
      ssh: `slipway ssh ${cluster.name}/${cluster.nodes[0]?.name ?? "NODE"}`,
      key: world.keys.loginFile(cluster.name),
      known_hosts: access.knownHostsFile(cluster.name),
    }),
  };
}

/** From machines to systems one can log in on. */
function describeLinux(cluster: GuestCluster, machines: MachineSteps): Graph {
  const access: GraphNode<KnownGuests> = {
    id: `${cluster.name}/cluster/access`,
    kind: "linux/access",
    name: "SSH keys and known_hosts",
    want: knownGuests(cluster, machines),
    after: metSteps(cluster, machines),
    group: "cluster",
    stage: "distro",
    cluster: cluster.name,
    usualMs: 100,
  };
  return [access, ...cluster.nodes.map((node) => systemOf(cluster, node, machines, access.id))];
}
