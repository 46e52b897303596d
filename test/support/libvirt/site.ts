import { realClock } from "../../../src/lib/index.ts";
import type { StepContext } from "../../../src/plan/index.ts";
import { parseFleet, type Cluster, type ClusterNetwork, type LibvirtHost } from "../../../src/spec/index.ts";

/** This machine, with a pool that exists or one to be made. */
export const libvirtHostNamed = (
  name: string,
  pool: LibvirtHost["libvirt"]["pool"] = { name: "default" },
): LibvirtHost => ({
  name,
  provider: "libvirt",
  libvirt: { uri: "qemu:///system", pool },
  overcommit: { memory: 1, cores: 8 },
  at: { file: "cluster.yaml", line: 3, column: 3, path: "", length: name.length },
});

/** One control plane on a host called desk. */
export function libvirtCluster(
  name: string,
  network: Partial<Pick<ClusterNetwork, "libvirt">> & { cidr?: string; bridge?: string },
  more = "",
): Cluster {
  const { cidr = "10.213.0.0/24", bridge = "br0", libvirt } = network;
  const text = `version: 1
hosts: { desk: { libvirt: {} } }
clusters:
  ${name}:
    network: { cidr: ${cidr}, bridge: ${bridge} }
    controlPlanes: { count: 1, memory: 2GiB, address: .11 }
${more}`;
  const parsed = parseFleet({ file: "cluster.yaml", text });
  if ("problems" in parsed) throw new Error(parsed.problems.map(({ what }) => what).join("; "));
  const [cluster] = parsed.fleet.clusters;
  if (!cluster) throw new Error("no cluster");
  return { ...cluster, network: { ...cluster.network, ...(libvirt && { libvirt }) } };
}

/** Of a step that runs alone. What it logs is kept in `told`. */
export function stepContext(told: string[] = []): StepContext {
  return {
    signal: new AbortController().signal,
    clock: realClock,
    log: (_level, text) => told.push(text),
    progress: () => {},
    holding: (_lock, _places, work) => work(),
    rolling: (_group, work) => work(() => []),
    demandOpen: () => {},
    async waitFor(wait, probe) {
      const seen = await probe(this.signal);
      if (!seen.done) throw new Error(`still waiting for ${wait.what}: ${seen.seen}`);
      return seen.value;
    },
  };
}
