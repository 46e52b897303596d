import type { Manifest } from "../../clients/kube/index.ts";

interface Alert {
  alert: string;
  /** Names of metrics in it are those of the controller. */
  expr: string;
  for?: string;
  severity: "warning" | "critical";
  summary: string;
  description: string;
}

/** What somebody should be told of. */
export const alerts: Alert[] = [
  {
    alert: "SlipwayClusterNotReady",
    expr: 'slipway_cluster_condition{type="Ready",status="True"} == 0',
    for: "15m",
    severity: "critical",
    summary: "Cluster {{ $labels.cluster }} is not ready",
    description: "It has not been ready for 15 minutes. kubectl describe slipwaycluster says why.",
  },
  {
    alert: "SlipwayClusterDrifted",
    expr: "sum by (cluster) (slipway_drift_changes) > 0",
    for: "1h",
    severity: "warning",
    summary: "Cluster {{ $labels.cluster }} is not as its object says",
    description:
      "{{ $value }} changes have been waiting for an hour: for an approval, for a window, or because a run fails.",
  },
  {
    alert: "SlipwaySnapshotOld",
    expr: "time() - slipway_etcd_snapshot_last_success_timestamp_seconds > 26 * 3600",
    severity: "warning",
    summary: "The newest backup of {{ $labels.cluster }} is old",
    description: "It was taken {{ $value | humanizeDuration }} ago.",
  },
  {
    alert: "SlipwayCertificateExpiring",
    expr: "slipway_certificate_expiry_timestamp_seconds - time() < 30 * 86400",
    severity: "warning",
    summary: "A certificate of {{ $labels.cluster }} expires",
    description: "{{ $labels.kind }} has {{ $value | humanizeDuration }} left.",
  },
  {
    alert: "SlipwayQueueRising",
    expr: "slipway_workqueue_depth > 10 and deriv(slipway_workqueue_depth[15m]) > 0",
    for: "15m",
    severity: "warning",
    summary: "The controller does not keep up",
    description: "{{ $value }} objects wait in queue {{ $labels.queue }}, and they get more.",
  },
  {
    alert: "SlipwayBackendFailing",
    // A code is a status of HTTP, "ok", the end of a program, or the code of an error.
    expr: [
      'sum by (backend) (rate(slipway_backend_request_duration_seconds_count{code!~"ok|exit 0|[1234].."}[10m]))',
      "/ sum by (backend) (rate(slipway_backend_request_duration_seconds_count[10m])) > 0.05",
    ].join(" "),
    for: "10m",
    severity: "warning",
    summary: "Calls to {{ $labels.backend }} fail",
    description: "{{ $value | humanizePercentage }} of them failed in the last ten minutes.",
  },
  {
    alert: "SlipwayNoLeader",
    expr: "max(slipway_leader) < 1 or absent(slipway_leader)",
    for: "5m",
    severity: "critical",
    summary: "No controller leads",
    description: "Nothing is kept as its object says until one does.",
  },
];

/** As Prometheus itself reads it. */
export const alertRules = () => ({
  groups: [
    {
      name: "slipway",
      rules: alerts.map(({ alert, expr, for: lasting, severity, summary, description }) => ({
        ...{ alert, expr },
        ...(lasting !== undefined && { for: lasting }),
        labels: { severity },
        annotations: { summary, description },
      })),
    },
  ],
});

/** For the Prometheus Operator: whom to ask, and when to tell. */
export const monitoringObjects = (namespace: string): Manifest[] => {
  const metadata = { name: "slipway-controller", namespace, labels: { "app.kubernetes.io/name": "slipway" } };
  return [
    {
      ...{ apiVersion: "monitoring.coreos.com/v1", kind: "ServiceMonitor", metadata },
      spec: {
        selector: { matchLabels: { "app.kubernetes.io/name": "slipway" } },
        endpoints: [{ port: "metrics", interval: "30s" }],
      },
    },
    { apiVersion: "monitoring.coreos.com/v1", kind: "PrometheusRule", metadata, spec: alertRules() },
  ];
};
