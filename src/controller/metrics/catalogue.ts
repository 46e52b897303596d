import type { MetricDeclaration } from "./registry.ts";

/** From a call on the same network to one that a factory builds an image for. */
const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** From an answer that is there already to a storage that is rebuilt. */
const workBuckets = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200];
/** As those of client-go's work queues, without the smallest. */
const queueBuckets = [0.001, 0.01, 0.1, 1, 10, 60, 300, 1_000];

/**
 * Every metric there is. No histogram has a label for the cluster: with its buckets, a thousand clusters would be hundreds
 * of thousands of series.
 */
export const catalogue = {
  clusters: {
    name: "slipway_clusters",
    type: "gauge",
    help: "Clusters by phase.",
    labels: ["phase", "distribution", "provider"],
  },
  clusterInfo: {
    name: "slipway_cluster_info",
    type: "gauge",
    help: "What a cluster is; always 1.",
    labels: ["cluster", "kubernetes_version", "os_version", "provider"],
  },
  clusterCondition: {
    name: "slipway_cluster_condition",
    type: "gauge",
    help: "1 for the status that a condition has, 0 for the others.",
    labels: ["cluster", "type", "status"],
  },
  machines: {
    name: "slipway_machines",
    type: "gauge",
    help: "Machines of a cluster.",
    labels: ["cluster", "role", "phase"],
  },
  outdated: {
    name: "slipway_machine_version_outdated",
    type: "gauge",
    help: "Machines whose version is not the wanted one.",
    labels: ["cluster", "component"],
  },
  drift: {
    name: "slipway_drift_changes",
    type: "gauge",
    help: "Changes that the last plan would make.",
    labels: ["cluster", "kind"],
  },
  planDuration: {
    name: "slipway_plan_duration_seconds",
    type: "histogram",
    help: "How long it took to know what to do.",
    labels: ["verb", "result"],
    buckets: workBuckets,
  },
  runDuration: {
    name: "slipway_run_duration_seconds",
    type: "histogram",
    help: "How long runs took.",
    labels: ["verb", "result"],
    buckets: workBuckets,
  },
  stepDuration: {
    name: "slipway_step_duration_seconds",
    type: "histogram",
    help: "How long steps took.",
    labels: ["kind", "action", "result"],
    buckets: workBuckets,
  },
  steps: {
    name: "slipway_steps_total",
    type: "counter",
    help: "Steps that ended.",
    labels: ["kind", "result"],
  },
  stepRetries: {
    name: "slipway_step_retries_total",
    type: "counter",
    help: "Repeats within steps, by how the step ended.",
    labels: ["kind", "result"],
  },
  requestDuration: {
    name: "slipway_backend_request_duration_seconds",
    type: "histogram",
    help: "How long calls took.",
    labels: ["backend", "method", "code"],
    buckets: callBuckets,
  },
  inflight: {
    name: "slipway_backend_inflight",
    type: "gauge",
    help: "Calls under way.",
    labels: ["backend", "host"],
  },
  lockWait: {
    name: "slipway_backend_lock_wait_seconds",
    type: "histogram",
    help: "How long steps waited for a lock of a host.",
    labels: ["backend", "host"],
    buckets: workBuckets,
  },
  etcdMembers: {
    name: "slipway_etcd_members",
    type: "gauge",
    help: "Members of etcd.",
    labels: ["cluster"],
  },
  etcdSize: {
    name: "slipway_etcd_db_size_bytes",
    type: "gauge",
    help: "The largest database of a member.",
    labels: ["cluster"],
  },
  snapshotAt: {
    name: "slipway_etcd_snapshot_last_success_timestamp_seconds",
    type: "gauge",
    help: "When the last snapshot was taken.",
    labels: ["cluster"],
  },
  certificateExpiry: {
    name: "slipway_certificate_expiry_timestamp_seconds",
    type: "gauge",
    help: "When the first certificate of a kind expires.",
    labels: ["cluster", "kind"],
  },
  queueDepth: {
    name: "slipway_workqueue_depth",
    type: "gauge",
    help: "Keys that wait.",
    labels: ["queue"],
  },
  queueAdds: {
    name: "slipway_workqueue_adds_total",
    type: "counter",
    help: "Keys that were added.",
    labels: ["queue"],
  },
  queueRetries: {
    name: "slipway_workqueue_retries_total",
    type: "counter",
    help: "Keys that were added again after a failure.",
    labels: ["queue"],
  },
  queueLongest: {
    name: "slipway_workqueue_longest_running_seconds",
    type: "gauge",
    help: "How long the oldest key is being worked on.",
    labels: ["queue"],
  },
  queueWait: {
    name: "slipway_workqueue_queue_duration_seconds",
    type: "histogram",
    help: "How long keys waited.",
    labels: ["queue"],
    buckets: queueBuckets,
  },
  leader: {
    name: "slipway_leader",
    type: "gauge",
    help: "1 in the replica that leads.",
    labels: [],
  },
  buildInfo: {
    name: "slipway_build_info",
    type: "gauge",
    help: "Which Slipway this is; always 1.",
    labels: ["version", "node"],
  },
} as const satisfies Record<string, MetricDeclaration>;
