/** The library: what others may rely on. Everything else may change any day. */
export { SlipwayError } from "./errors/index.ts";
export type { ErrorData, Position } from "./errors/index.ts";
export {
  applyFleet,
  destroyFleet,
  eventStream,
  fleetStatus,
  loadFleet,
  planFleet,
  previewFleet,
  rehearseFleet,
  verifyFleet,
} from "./operations/index.ts";
export type {
  ApplyRequest,
  ClusterStatus,
  DestroyRequest,
  Ending,
  NodeStatus,
  PlanRequest,
  RehearseRequest,
  Selection,
  VerifyRequest,
} from "./operations/index.ts";
export type { EventBody, Plan, PlannedStep, RunEvent, StepId, Tell } from "./plan/index.ts";
export type { Cluster, Fleet, Host, Node } from "./spec/index.ts";
export { realWorld, type World } from "./world.ts";
