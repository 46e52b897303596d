import type { KubeClient } from "../../clients/kube/index.ts";
import { describeCause, SlipwayError, type ErrorData } from "../../errors/index.ts";
import type { Clock } from "../../lib/index.ts";
import type {
  FieldChange,
  KubernetesFacts,
  MachineInspection,
  NodeInspection,
  OwnedMachine,
  Survey,
} from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { readKube, type KubeFacts } from "./kube-facts.ts";

/** Where doctor looks. Each of these only reads, ends within seconds, and says why when it cannot know. */
export interface Sources {
  /** What the hosts hold; those that did not answer stand in it as unreachable. */
  survey(): Promise<Survey>;
  inspectMachines(machines: OwnedMachine[]): Promise<MachineInspection[]>;
  inspectNodes(): Promise<Map<string, NodeInspection>>;
  /** Access to Kubernetes behind an address; undefined before there are secrets. */
  openKube(server?: string): Promise<KubeClient | undefined>;
  /** What preflight holds against making what is missing. */
  obstacles(): Promise<ErrorData[]>;
  /** In what the machine of a node is not as the file says. */
  deviations(node: string): Promise<FieldChange[]>;
  /** Where the secrets of the cluster belong. */
  secretsFolder: string;
  /** How the distribution runs Kubernetes; absent where it brings none. */
  kubernetes?: KubernetesFacts | undefined;
  clock: Clock;
  signal: AbortSignal;
}

/** A cluster and what is known of it so far: every source is asked at most once. */
export interface Inspection extends Pick<
  Sources,
  "openKube" | "deviations" | "secretsFolder" | "kubernetes" | "clock" | "signal"
> {
  cluster: Cluster;
  survey(): Promise<Survey>;
  /** Machines of this cluster. */
  machines(): Promise<OwnedMachine[]>;
  inspectMachines(machines: OwnedMachine[]): Promise<MachineInspection[]>;
  nodes(): Promise<Map<string, NodeInspection>>;
  obstacles(): Promise<ErrorData[]>;
  /** What the cluster's API says, read in one go. */
  kube(): Promise<KubeFacts>;
}

export function openInspection(cluster: Cluster, sources: Sources): Inspection {
  const survey = once(() => sources.survey());
  return {
    cluster,
    openKube: (server) => sources.openKube(server),
    deviations: (node) => sources.deviations(node),
    secretsFolder: sources.secretsFolder,
    kubernetes: sources.kubernetes,
    clock: sources.clock,
    signal: sources.signal,
    survey,
    machines: async () => {
      const { machines } = await survey();
      // In the order of the file, so that the same trouble is told in the same words.
      return cluster.nodes.flatMap(({ name }) =>
        machines.filter((machine) => machine.cluster === cluster.name && machine.node === name),
      );
    },
    inspectMachines: (machines) => sources.inspectMachines(machines),
    nodes: once(() => sources.inspectNodes()),
    obstacles: once(() => sources.obstacles()),
    kube: once(async () => {
      const kube = await sources.openKube();
      if (!kube) throw new Error("there are no secrets to log in with");
      return readKube(kube, sources.signal);
    }),
  };
}

/** How its Kubernetes is run, for questions that are asked only where there is one. */
export function kubernetesOf({ cluster, kubernetes }: Inspection): KubernetesFacts {
  if (!kubernetes) throw new Error(`cluster ${cluster.name} has no Kubernetes`);
  return kubernetes;
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask());
}

/** What was learned, or why it was not. */
export async function orWhy<T>(asked: Promise<T>): Promise<{ value: T } | { why: string; code?: string }> {
  try {
    return { value: await asked };
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) return { why: describeCause(thrown) };
    return { why: thrown.why, code: thrown.code };
  }
}
