import { SlipwayError } from "../../../src/errors/index.ts";
import {
  connectKube,
  type KubeAccess,
  type KubeClient,
  type KubePod,
} from "../../../src/clients/kube/index.ts";
import { dialDirect } from "../../../src/lib/index.ts";
import { podAddress, statusOf } from "./fake-pod-status.ts";
import { chooseNode, claimsAreBound } from "./fake-schedule.ts";
import { realClock } from "../../../src/lib/index.ts";

/** What a pod's program does to the cluster once it runs. A pod of a job ends with it, and fails when it throws. */
export type Program = (world: { kube: KubeClient; pod: KubePod; signal: AbortSignal }) => Promise<void>;

export interface PretendKubelets {
  /** Ends all pretending; throws what went wrong meanwhile. */
  stop(): Promise<void>;
}

/**
 * Nodes for a real API server that has none: pods are placed, said to be ready, and go when they are told to. No
 * container runs; what the programs in them would do is given by namespace and workload: `kube-system/cilium`.
 */
export function pretendKubelets(
  access: KubeAccess,
  nodes: readonly string[],
  programs: Readonly<Record<string, Program>> = {},
): PretendKubelets {
  const kube = connectKube({ clock: realClock, kubeconfig: access, dial: dialDirect });
  const runReport = new AbortController();
  const running = new Map<string, AbortController>();
  const failures: unknown[] = [];
  let placed = 0;

  const programOf = ({ metadata: { namespace, name } }: KubePod): Program | undefined => {
    const all = Object.entries(programs).filter(([workload]) =>
      `${namespace}/${name}`.startsWith(`${workload}-`),
    );
    return all.toSorted(([one], [other]) => other.length - one.length)[0]?.[1];
  };

  async function start(pod: KubePod): Promise<void> {
    const { uid = "", namespace = "" } = pod.metadata;
    if (running.has(uid)) return;
    const life = new AbortController();
    running.set(uid, life);
    const signal = AbortSignal.any([life.signal, runReport.signal]);
    const isJob = pod.metadata.ownerReferences?.some(({ kind }) => kind === "Job") ?? false;
    const program = programOf(pod);
    const say = (state: Parameters<typeof statusOf>[1]) =>
      kube.patch(
        { apiVersion: "v1", kind: "Pod", namespace, name: pod.metadata.name },
        { status: statusOf(pod, state, podAddress(uid)) },
        { subresource: "status" },
      );
    while (!signal.aborted && !(await claimsAreBound(kube, pod))) await pause(100);
    await say("ready");
    const work = program?.({ kube, pod, signal }) ?? Promise.resolve();
    if (isJob)
      await say(
        await work.then(
          () => "succeeded" as const,
          () => "failed" as const,
        ),
      );
    else
      await work.catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
  }

  async function settle(pod: KubePod): Promise<void> {
    const { uid = "", namespace = "", name, deletionTimestamp } = pod.metadata;
    const ref = { apiVersion: "v1", kind: "Pod", namespace, name };
    if (deletionTimestamp !== undefined) {
      running.get(uid)?.abort();
      await kube.delete(ref, { graceSeconds: 0, uid });
    } else if (pod.spec?.nodeName === undefined) {
      const node = await chooseNode(kube, pod, nodes[placed++ % nodes.length] ?? "");
      const target = { apiVersion: "v1", kind: "Node", name: node };
      await kube.create({ apiVersion: "v1", kind: "Binding", metadata: { namespace, name }, target });
    } else if (pod.status?.phase === "Pending") await start(pod);
  }

  const watching = (async () => {
    for await (const { type, object } of kube.watch<KubePod>(
      { apiVersion: "v1", kind: "Pod" },
      runReport.signal,
    ))
      if (type === "DELETED") running.get(object.metadata.uid ?? "")?.abort();
      else
        settle(object).catch((error: unknown) => {
          if (!runReport.signal.aborted && !isPassing(error)) failures.push(error);
        });
  })().catch((error: unknown) => {
    if (!runReport.signal.aborted) failures.push(error);
  });

  return {
    async stop() {
      runReport.abort();
      await watching;
      kube.close();
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Others change and remove pods at the same time; what comes of it is told by the next event. */
const isPassing = (error: unknown): boolean =>
  (error instanceof SlipwayError &&
    ["KUBE_NOT_FOUND", "KUBE_CONFLICT", "KUBE_ALREADY_EXISTS"].includes(error.code)) ||
  (error instanceof Error && error.name === "AbortError");

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
