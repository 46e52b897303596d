import type { KubeClient } from "../../clients/kube/index.ts";
import { apiVersion, approvedPlan, type SlipwayCluster, type SlipwayRun } from "../../controller/index.ts";
import type {
  ManagedCluster,
  ManagedPlan,
  ManagedRun,
  ManagedSite,
  ObjectsAnswer,
} from "../../dashboard/index.ts";
import type { Outcome } from "../../plan/index.ts";
import { slipwayVersion } from "../../world/index.ts";
import type { Shell } from "../shell.ts";
import { anySite } from "./dashboard.ts";

/** The dashboard of a controller: its clusters and runs, as their objects tell them every time they are asked for. */
export async function managedSite(shell: Shell, client: KubeClient, namespace: string): Promise<ManagedSite> {
  const { server } = client;
  return {
    ...(await anySite(shell)),
    session: {
      ...{ slipway: slipwayVersion, file: `${namespace} of ${server}`, world: "real", canChange: false },
      management: { server, namespace },
    },
    async readObjects() {
      const [clusters, runs] = await Promise.all([
        client.list<SlipwayCluster>({ apiVersion, kind: "SlipwayCluster", namespace }),
        client.list<SlipwayRun>({ apiVersion, kind: "SlipwayRun", namespace }),
      ]);
      return shownObjects(clusters.items, runs.items);
    },
  };
}

/** What a page shows of the objects. Of their specs that is next to nothing: they may name what not everybody should read. */
export function shownObjects(
  clusters: readonly SlipwayCluster[],
  runs: readonly SlipwayRun[],
): Omit<ObjectsAnswer, "at"> {
  const newestFirst = runs.map(shownRun).toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
  const goingOn = new Set(clusters.filter(isRollingOut).map(({ metadata }) => metadata.name));
  const newest = new Set<string>();
  return {
    clusters: clusters.map(shownCluster).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    runs: newestFirst.map((run) => {
      const [cluster = ""] = run.clusters;
      const isNewest = !newest.has(cluster);
      newest.add(cluster);
      // Whoever carried it out is gone without a last word.
      const isCut = run.outcome === undefined && !(isNewest && goingOn.has(cluster));
      return isCut ? { ...run, outcome: "cut" as const } : run;
    }),
  };
}

const conditionIs = ({ status }: SlipwayCluster, type: string): string | undefined =>
  status?.conditions.find((each) => each.type === type)?.status;

const isRollingOut = (cluster: SlipwayCluster): boolean =>
  conditionIs(cluster, "RollingOut") === "True" || conditionIs(cluster, "Deleting") === "True";

function shownCluster({ metadata, spec, status }: SlipwayCluster): ManagedCluster {
  const { osVersion = "", kubernetesVersion = "" } = status ?? {};
  const versions = [osVersion, kubernetesVersion === "" ? "" : `Kubernetes ${kubernetesVersion}`];
  const ready = status?.conditions.find(({ type }) => type === "Ready");
  return {
    name: metadata.name,
    hosts: spec.hosts,
    phase: status?.phase ?? "",
    message: ready?.message ?? "No controller has looked at it yet",
    version: versions.filter((text) => text !== "").join(" · "),
    nodes: status?.nodes,
    apply: spec.apply ?? "OnApproval",
    conditions: (status?.conditions ?? []).map(
      ({ lastTransitionTime: since, type, reason, message, ...is }) => ({
        ...{ type, status: is.status, reason, message, since },
      }),
    ),
    plan: status?.plan && shownPlan(metadata, status.plan, ready?.reason === "AwaitingApproval"),
  };
}

function shownPlan(
  { name, namespace = "" }: SlipwayCluster["metadata"],
  {
    summary,
    madeAt,
    changes,
    steps,
    refused,
    digest,
  }: NonNullable<NonNullable<SlipwayCluster["status"]>["plan"]>,
  isWaiting: boolean,
): ManagedPlan {
  const approve = `kubectl -n ${namespace} annotate swc ${name} ${approvedPlan}=${digest} --overwrite`;
  return {
    ...{ summary, madeAt, changes, refused },
    steps: steps.map(({ title, consequence }) => ({ title, consequence })),
    ...(isWaiting && { approve }),
  };
}

const outcomes: readonly Outcome[] = ["done", "unchanged", "failed", "stopped", "refused", "waiting"];

function shownRun({ metadata, spec, status }: SlipwayRun): ManagedRun {
  const startedAt = status?.startedAt ?? metadata.creationTimestamp ?? "";
  const { finishedAt, error, failures = [] } = status ?? {};
  const [failure] = failures;
  const said = error ?? failure;
  return {
    ...{ run: metadata.name, command: spec.command, clusters: [spec.cluster], world: "real", startedAt },
    outcome: outcomes.find((each) => each === status?.outcome),
    tookMs: finishedAt === undefined ? undefined : Date.parse(finishedAt) - Date.parse(startedAt),
    why: said && `${said.message} (${said.code})`,
  };
}
