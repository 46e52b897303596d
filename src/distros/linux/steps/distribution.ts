import type { AnyResource, Distribution } from "../../../plan/index.ts";
import { isLinux, type Cluster, type LinuxCluster } from "../../../spec/index.ts";
import { linuxAccessFiles } from "./access-files.ts";
import { describeLinux, systemStep } from "./describe.ts";
import { linuxHealth, lookEverywhere } from "./health.ts";
import { examineGuests } from "./examine.ts";
import { LinuxAccess, type LinuxWorld } from "./linux-access.ts";
import { lookAtGuests } from "./look.ts";
import { linuxSystem } from "./system.ts";

const patienceMs = 15_000;

/** Plain Linux machines as a distribution, without Kubernetes. */
export function linuxDistribution(world: LinuxWorld): Distribution {
  const access = new LinuxAccess(world);
  const resources: AnyResource[] = [linuxAccessFiles(access), linuxSystem(access)];
  return {
    resources,
    describe: async (cluster, machines) => describeLinux(linuxOf(cluster), machines),
    apiStep: () => undefined,
    kubeconfig: async () => undefined,
    installedStep: (cluster, node) => systemStep(cluster.name, node),
    // Nobody remembers a machine but its host.
    seedStep: () => undefined,
    describeLeavers: () => [],
    preflight: () => [],
    health: (cluster) => linuxHealth(access, linuxOf(cluster)),
    async healthyNodes(cluster) {
      const seen = await lookEverywhere(access, linuxOf(cluster), patienceMs);
      return new Set([...seen].flatMap(([name, { complaints }]) => (complaints ? [name] : [])));
    },
    look: (cluster, signal) => lookAtGuests(access, linuxOf(cluster), signal),
    remember: () => Promise.resolve(new Map()),
    examine: (cluster, signal) => examineGuests(access, linuxOf(cluster), signal),
    outputs: (cluster) => ({
      ssh: `slipway ssh ${cluster.name}/${cluster.nodes[0]?.name ?? "NODE"}`,
      key: world.keys.loginFile(cluster.name),
      known_hosts: access.knownHostsFile(cluster.name),
    }),
  };
}

function linuxOf(cluster: Cluster): LinuxCluster {
  if (!isLinux(cluster)) throw new Error(`cluster ${cluster.name} runs no plain Linux`);
  return cluster;
}
