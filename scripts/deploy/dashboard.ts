interface Query {
  expr: string;
  legend?: string;
}

interface PanelWish {
  title: string;
  type: "stat" | "timeseries" | "table" | "heatmap";
  /** Of 24 columns. */
  width: number;
  height: number;
  unit?: string;
  description?: string;
  queries: Query[];
}

const ofClusters = '{cluster=~"$cluster"}';
const quantile = (share: number, metric: string, by: string): string =>
  `histogram_quantile(${share}, sum by (le, ${by}) (rate(${metric}_bucket[$__rate_interval])))`;
const failed = 'code!~"ok|exit 0|[1234].."';

/** What somebody looks at first, from all clusters to one and then to what the controller does. */
const rows: { title: string; panels: PanelWish[] }[] = [
  {
    title: "Clusters",
    panels: [
      stat("Clusters", "sum(slipway_clusters)"),
      stat("Ready", 'sum(slipway_cluster_condition{type="Ready",status="True"})'),
      stat("Not ready", 'sum(slipway_cluster_condition{type="Ready",status="False"})'),
      stat("Unknown", 'sum(slipway_cluster_condition{type="Ready",status="Unknown"})'),
      stat("Drifted", "count(sum by (cluster) (slipway_drift_changes) > 0) or vector(0)"),
      stat("Machines", "sum(slipway_machines)"),
      lines("Clusters by phase", 12, [{ expr: "sum by (phase) (slipway_clusters)", legend: "{{phase}}" }]),
      {
        ...{ title: "Versions", type: "table", width: 12, height: 8 },
        queries: [
          {
            expr: `max by (cluster, kubernetes_version, os_version, provider) (slipway_cluster_info${ofClusters})`,
          },
        ],
      },
    ],
  },
  {
    title: "Chosen clusters",
    panels: [
      lines("Machines", 8, [
        { expr: `sum by (cluster, phase) (slipway_machines${ofClusters})`, legend: "{{cluster}} {{phase}}" },
      ]),
      lines("Changes that wait", 8, [
        { expr: `sum by (cluster) (slipway_drift_changes${ofClusters})`, legend: "{{cluster}}" },
      ]),
      lines("Machines with another version", 8, [
        {
          expr: `sum by (cluster, component) (slipway_machine_version_outdated${ofClusters})`,
          legend: "{{cluster}} {{component}}",
        },
      ]),
      lines(
        "Certificates: time left",
        8,
        [
          {
            expr: `min by (cluster, kind) (slipway_certificate_expiry_timestamp_seconds${ofClusters}) - time()`,
            legend: "{{cluster}} {{kind}}",
          },
        ],
        "s",
      ),
      lines(
        "Age of the newest backup",
        8,
        [
          {
            expr: `time() - slipway_etcd_snapshot_last_success_timestamp_seconds${ofClusters}`,
            legend: "{{cluster}}",
          },
        ],
        "s",
      ),
      lines(
        "etcd database",
        8,
        [{ expr: `slipway_etcd_db_size_bytes${ofClusters}`, legend: "{{cluster}}" }],
        "bytes",
      ),
    ],
  },
  {
    title: "Runs",
    panels: [
      lines(
        "Runs, 95 of 100 end within",
        8,
        [
          {
            expr: quantile(0.95, "slipway_run_duration_seconds", "verb, result"),
            legend: "{{verb}} {{result}}",
          },
        ],
        "s",
      ),
      lines(
        "Steps, 95 of 100 end within",
        8,
        [{ expr: quantile(0.95, "slipway_step_duration_seconds", "kind"), legend: "{{kind}}" }],
        "s",
      ),
      lines("Steps that failed, and repeats, per hour", 8, [
        {
          expr: 'sum by (kind) (increase(slipway_steps_total{result="failed"}[1h]))',
          legend: "failed {{kind}}",
        },
        { expr: "sum by (kind) (increase(slipway_step_retries_total[1h]))", legend: "repeated {{kind}}" },
      ]),
    ],
  },
  {
    title: "Hosts and nodes",
    panels: [
      lines(
        "Calls, 95 of 100 take at most",
        6,
        [
          {
            expr: quantile(0.95, "slipway_backend_request_duration_seconds", "backend"),
            legend: "{{backend}}",
          },
        ],
        "s",
      ),
      lines(
        "Calls that failed",
        6,
        [
          {
            expr: `sum by (backend) (rate(slipway_backend_request_duration_seconds_count{${failed}}[$__rate_interval])) / sum by (backend) (rate(slipway_backend_request_duration_seconds_count[$__rate_interval]))`,
            legend: "{{backend}}",
          },
        ],
        "percentunit",
      ),
      lines("Calls under way", 6, [
        { expr: "sum by (backend) (slipway_backend_inflight)", legend: "{{backend}}" },
      ]),
      lines(
        "Waits for a host's locks, 95 of 100",
        6,
        [{ expr: quantile(0.95, "slipway_backend_lock_wait_seconds", "host"), legend: "{{host}}" }],
        "s",
      ),
    ],
  },
  {
    title: "Controller",
    panels: [
      lines("Objects that wait", 6, [
        { expr: "sum by (queue) (slipway_workqueue_depth)", legend: "{{queue}}" },
      ]),
      lines(
        "Time in the queue, 95 of 100",
        6,
        [{ expr: quantile(0.95, "slipway_workqueue_queue_duration_seconds", "queue"), legend: "{{queue}}" }],
        "s",
      ),
      lines("Added and tried again, per second", 6, [
        {
          expr: "sum by (queue) (rate(slipway_workqueue_adds_total[$__rate_interval]))",
          legend: "added {{queue}}",
        },
        {
          expr: "sum by (queue) (rate(slipway_workqueue_retries_total[$__rate_interval]))",
          legend: "again {{queue}}",
        },
      ]),
      {
        ...{ title: "Who leads", type: "table", width: 6, height: 8 },
        queries: [{ expr: "max by (pod) (slipway_leader)" }],
      },
    ],
  },
];

function stat(title: string, expr: string): PanelWish {
  return { title, type: "stat", width: 4, height: 4, queries: [{ expr }] };
}

function lines(title: string, width: number, queries: Query[], unit = "short"): PanelWish {
  return { title, type: "timeseries", width, height: 8, unit, queries };
}

/** A dashboard of Grafana, whose data source is chosen where it is imported. */
export function dashboard(): object {
  return {
    ...{ title: "Slipway", uid: "slipway", tags: ["slipway"], schemaVersion: 39, version: 1, editable: true },
    ...{ refresh: "1m", time: { from: "now-6h", to: "now" }, timezone: "browser" },
    templating: {
      list: [
        { name: "datasource", label: "Data source", type: "datasource", query: "prometheus" },
        {
          ...{
            name: "cluster",
            label: "Cluster",
            type: "query",
            multi: true,
            includeAll: true,
            refresh: 2,
            sort: 1,
          },
          datasource,
          query: { query: "label_values(slipway_cluster_info, cluster)", refId: "clusters" },
        },
      ],
    },
    panels: placed(),
  };
}

const datasource = { type: "prometheus", uid: "${datasource}" };

/** From left to right, and below what is full. */
function placed(): object[] {
  let [x, y, deepest, id] = [0, 0, 0, 0];
  const place = (width: number, height: number) => {
    if (x + width > 24) {
      x = 0;
      y += deepest;
      deepest = 0;
    }
    const gridPos = { x, y, w: width, h: height };
    x += width;
    deepest = Math.max(deepest, height);
    id += 1;
    return { id, gridPos };
  };
  return rows.flatMap(({ title, panels }) => [
    { type: "row", title, collapsed: false, panels: [], ...place(24, 1) },
    ...panels.map((panel) => panelOf(panel, place(panel.width, panel.height))),
  ]);
}

const panelOf = ({ title, type, unit = "short", queries }: PanelWish, at: object): object => ({
  ...{ title, type, datasource, ...at },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: queries.map(({ expr, legend = "__auto" }, number) => ({
    ...{ refId: String.fromCodePoint(65 + number), datasource, expr, legendFormat: legend },
    ...(type === "table" ? { format: "table", instant: true } : {}),
  })),
});
