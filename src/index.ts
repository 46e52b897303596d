/** The library: what others may rely on, besides the entries of src/library. Everything else may change any day. */
export { SlipwayError } from "./errors/index.ts";
export type { ErrorData, ErrorFields, Position } from "./errors/index.ts";
export {
  defineFleet,
  down,
  loadFleet,
  openRehearsal,
  plan,
  rehearse,
  status,
  up,
  validate,
  verify,
} from "./library/index.ts";
export type {
  CheckReport,
  DownOptions,
  Fleet,
  FleetCluster,
  FleetNode,
  Outside,
  PlanOptions,
  PlanReport,
  Rehearsal,
  RemovalReport,
  SourceOptions,
  StatusOptions,
  UpOptions,
  Validated,
  VerifyOptions,
} from "./library/index.ts";
export type {
  AddonState,
  AddonStatus,
  BackupStatus,
  ClusterState,
  ClusterStatus,
  RunReport,
  NodeState,
  NodeStatus,
  PlanFile,
  Selection,
} from "./operations/index.ts";
export type {
  Action,
  CheckPhase,
  CheckStatus,
  Consequence,
  EventBody,
  Face,
  Finding,
  Group,
  LogLevel,
  Outcome,
  PlanLine,
  PlannedStep,
  Refusal,
  RunEvent,
  Section,
  Stage,
  StepId,
} from "./plan/index.ts";
export type { Fault, FleetFile, FleetParts, Problem, Role } from "./spec/index.ts";
