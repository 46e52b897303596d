/** What Prometheus and the kubelet see of the controller: `catalogue.ts` lists every metric, `serve.ts` answers. */
export { catalogue } from "./catalogue.ts";
export type { ClusterSighting, SeenNode } from "./cluster-facts.ts";
export { fleetMetrics, type FleetMetrics, type QueueState } from "./fleet-metrics.ts";
export { serveProbes, type ProbeServer } from "./serve.ts";
export type { MetricDeclaration } from "./registry.ts";
