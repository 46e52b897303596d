/** The operations as other programs call them, and the other entries of the package. What is here is kept, or its change announced. */
export { openRehearsal, type Outside, type Rehearsal } from "./enter-world.ts";
export {
  defineFleet,
  loadFleet,
  validate,
  type Fleet,
  type FleetCluster,
  type FleetNode,
  type SourceOptions,
  type Validated,
} from "./fleet.ts";
export {
  down,
  plan,
  rehearse,
  status,
  up,
  verify,
  type CheckReport,
  type DownOptions,
  type PlanOptions,
  type PlanReport,
  type RemovalReport,
  type StatusOptions,
  type UpOptions,
  type VerifyOptions,
} from "./operations.ts";
