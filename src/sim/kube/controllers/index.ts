/** What makes a simulated cluster live: everything that would run beside the API server and on its nodes. */
export { holdControllers } from "./hold-controllers.ts";
export type { Cluster, Controller, PodTimes } from "./controller.ts";
export { covers } from "./workloads/budgets.ts";
