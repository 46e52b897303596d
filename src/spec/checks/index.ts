/** What the schema cannot see: how the parts of a fleet fit together. One file per subject. */
export { checkFleet, type Checked } from "./check-fleet.ts";
