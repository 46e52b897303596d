import {
  apiVersion,
  clusterLabel,
  type SlipwayCluster,
  type SlipwayRun,
} from "../../../src/controller/index.ts";

const namespace = "slipway-system";
const since = "2026-07-12T09:30:00Z";
export const digest = "4f1c".repeat(16);

type Status = NonNullable<SlipwayCluster["status"]>;

const condition = (
  type: "Ready" | "Available" | "RollingOut" | "Planned",
  is: string,
  reason: string,
  message = "",
) =>
  ({
    type,
    status: is,
    reason,
    message,
    lastTransitionTime: since,
    observedGeneration: 1,
  }) as Status["conditions"][number];

const cluster = (name: string, status?: Partial<Status>): SlipwayCluster => ({
  ...{ apiVersion, kind: "SlipwayCluster", metadata: { name, namespace } },
  // What stands in a spec is not for everybody who may look.
  spec: { hosts: "rack", cluster: { network: { cidr: "10.9.8.0/24" } } },
  ...(status && {
    status: {
      observedGeneration: 1,
      phase: "Ready",
      conditions: [],
      nodes: { wanted: 3, ready: 3 },
      ...status,
    },
  }),
});

/** One that is well, one that waits for somebody, one whose run failed, one that is being changed, and one that nobody has seen. */
export const managedClusters = (): SlipwayCluster[] => [
  cluster("media", {
    conditions: [
      condition("Ready", "True", "AsWanted", "all 3 nodes are Ready and nothing is to be changed"),
      condition("Available", "True", "Answering", "its API answers, 3 nodes are Ready"),
    ],
    ...{ osVersion: "Talos (v1.13.9)", kubernetesVersion: "1.36.3" },
  }),
  cluster("homelab", {
    phase: "AwaitingApproval",
    conditions: [condition("Ready", "False", "AwaitingApproval", "1 change waits for approval")],
    plan: {
      ...{ digest, madeAt: since, changes: 2, waiting: 0, summary: "1 reboot, 1 hot", refused: [] },
      steps: [{ step: "m/worker-1", title: "Resize worker-1", action: "update", consequence: "reboot" }],
    },
  }),
  cluster("edge", {
    phase: "Failed",
    conditions: [
      condition("Ready", "False", "RunFailed", "Cannot reach cp-3"),
      condition("Planned", "True", "Changes", "2 changes"),
    ],
  }),
  cluster("busy", {
    phase: "RollingOut",
    conditions: [
      condition("Ready", "False", "RunInProgress", '"up": 3 of 9 steps'),
      condition("RollingOut", "True", "RunInProgress", '"up": 3 of 9 steps'),
    ],
  }),
  cluster("fresh"),
];

const run = (of: string, minute: number, status: Partial<NonNullable<SlipwayRun["status"]>>): SlipwayRun => ({
  ...{ apiVersion, kind: "SlipwayRun" },
  metadata: { name: `${of}-${minute}`, namespace, labels: { [clusterLabel]: of } },
  spec: { cluster: of, command: "up", policy: "Auto" },
  status: {
    startedAt: `2026-07-12T09:${minute}:00Z`,
    ...{ outcome: "running", steps: { finished: 1, failed: 0, skipped: 0 }, holder: "one" },
    ...status,
  },
});

export const managedRuns = (): SlipwayRun[] => [
  run("media", 10, { outcome: "done", finishedAt: "2026-07-12T09:14:00Z" }),
  run("edge", 20, {
    ...{ outcome: "failed", finishedAt: "2026-07-12T09:26:00Z" },
    failures: [
      { step: "c/cp-3", code: "TALOS_UNREACHABLE", message: "Cannot reach cp-3: it stayed silent for 5m" },
    ],
  }),
  // Its controller has gone in the middle of it, and another one began again.
  run("busy", 30, {}),
  run("busy", 40, {}),
];
