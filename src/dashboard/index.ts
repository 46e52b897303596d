/** The same events in a browser: `server/` answers on loopback, `app/` is the page, `protocol.ts` is what they tell each other. */
export { exportRun } from "./server/export-run.ts";
export { readPageParts, type PageParts } from "./server/page.ts";
export type { DashboardSite, ManagedSite } from "./server/site.ts";
export { startDashboard, type Dashboard } from "./server/start-dashboard.ts";
export type * from "./protocol.ts";
