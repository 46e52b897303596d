/** Redfish, as management controllers of machines speak it: which systems there are, and their power. Knows nothing of Slipway. */
export type { RedfishOptions } from "./call.ts";
export { connectRedfish, type PowerState, type RedfishClient, type ResetType } from "./client.ts";
