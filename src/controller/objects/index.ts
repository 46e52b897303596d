/** The kinds that the controller watches and keeps: plain types, and the names that are fixed. */
export {
  apiVersion,
  approvedPlan,
  clusterLabel,
  finalizer,
  onInYaml11,
  requestedAt,
  type ConditionType,
  type ControllerCondition,
  type ControllerObject,
  type SecretKeyRef,
} from "./common.ts";
export * from "./cluster.ts";
export * from "./hosts.ts";
export * from "./rollout.ts";
export * from "./run.ts";
