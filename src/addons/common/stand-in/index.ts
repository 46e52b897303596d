/** What the stand-ins of several add-ons share. */
export type { StandIn } from "../../../sim/index.ts";
export { accountSecret, chartLabels, chartName, withAccount } from "./account.ts";
