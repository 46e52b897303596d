import type { KubeClient } from "../../clients/kube/index.ts";
import { describeCause, SlipwayError, type ErrorData } from "../../errors/index.ts";
import type { FieldChange, MachineExam, NodeExam, OwnedMachine, Survey } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { readKube, type KubeFacts } from "./kube-facts.ts";

/** Where doctor looks. Each of these only reads, ends within seconds, and says why when it cannot know. */
export interface Sources {
  /** What the hosts hold; those that did not answer stand in it as silent. */
  survey(): Promise<Survey>;
  examineMachines(machines: OwnedMachine[]): Promise<MachineExam[]>;
  examineNodes(): Promise<Map<string, NodeExam>>;
  /** Access to Kubernetes behind an address; undefined before there are secrets. */
  openKube(server?: string): Promise<KubeClient | undefined>;
  /** What preflight holds against making what is missing. */
  obstacles(): Promise<ErrorData[]>;
  /** In what the machine of a node is not as the file says. */
  deviations(node: string): Promise<FieldChange[]>;
  /** Where the secrets of the cluster belong. */
  secretsFolder: string;
  /** Whether the distribution brings Kubernetes at all. */
  hasKubernetes: boolean;
  signal: AbortSignal;
}

/** A cluster and what is known of it so far: every source is asked at most once. */
export interface Patient extends Pick<
  Sources,
  "openKube" | "deviations" | "secretsFolder" | "hasKubernetes" | "signal"
> {
  cluster: Cluster;
  survey(): Promise<Survey>;
  /** Machines of this cluster. */
  machines(): Promise<OwnedMachine[]>;
  examineMachines(machines: OwnedMachine[]): Promise<MachineExam[]>;
  nodes(): Promise<Map<string, NodeExam>>;
  obstacles(): Promise<ErrorData[]>;
  /** What the cluster's API says, read in one go. */
  kube(): Promise<KubeFacts>;
}

export function admit(cluster: Cluster, sources: Sources): Patient {
  const survey = once(() => sources.survey());
  return {
    cluster,
    openKube: (server) => sources.openKube(server),
    deviations: (node) => sources.deviations(node),
    secretsFolder: sources.secretsFolder,
    hasKubernetes: sources.hasKubernetes,
    signal: sources.signal,
    survey,
    machines: async () => {
      const { machines } = await survey();
      // In the order of the file, so that the same trouble is told in the same words.
      return cluster.nodes.flatMap(({ name }) =>
        machines.filter((machine) => machine.cluster === cluster.name && machine.node === name),
      );
    },
    examineMachines: (machines) => sources.examineMachines(machines),
    nodes: once(() => sources.examineNodes()),
    obstacles: once(() => sources.obstacles()),
    kube: once(async () => {
      const kube = await sources.openKube();
      if (!kube) throw new Error("there are no secrets to log in with");
      return readKube(kube, sources.signal);
    }),
  };
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
