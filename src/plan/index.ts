/** The graph of wanted things, what a resource is, and the stream of events: the contracts all parts meet in. */
export type { GuestQuestion, FoundAddresses } from "./contract/dhcp-address.ts";
export { addressesCheck, addressesInUse } from "./preflight/addresses-check.ts";
export { antiAffinityCheck } from "./preflight/anti-affinity-check.ts";
export { coresFinding, gibOfMiB, memoryFinding, type Demand } from "./preflight/capacity-findings.ts";
export {
  ConsoleWatch,
  type ConsoleListener,
  type Consoles,
  type MachinePlace,
  type OpenConsole,
} from "./contract/console.ts";
export { failed, type Check, type CheckTitles, type Finding } from "./check.ts";
export type * from "./events.ts";
export { eventStreamVersion } from "./events.ts";
export type {
  RotationSteps,
  CertificateLife,
  CertificateLives,
  ClusterDatabase,
  RecoveredSecrets,
  CaRotationWanted,
  Distribution,
  MachineSteps,
  DatabaseInspection,
  DatabaseSize,
  NodeInspection,
  NodeLog,
  QuickStatus,
  LeftoverNode,
  RememberedNode,
  RenewablePart,
  RenewedCredential,
} from "./contract/distribution.ts";
export type * from "./contract/bare-machines.ts";
export type * from "./contract/discovery.ts";
export type * from "./contract/distribution-facts.ts";
export { archiveText } from "./archive-text.ts";
export type * from "./contract/machine-backups.ts";
export type * from "./contract/owned-machine.ts";
export type * from "./contract/provider.ts";
export type { Recovery, RecoverySource } from "./contract/recovery.ts";
export type { RunNote, RunNotes } from "./contract/run-notes.ts";
export type { TerraformBlock, TerraformValue } from "./contract/terraform.ts";
export { criticalPath, type CriticalPath, type TimedStep } from "./critical-path.ts";
export { comparePlan, compareRemoval, resourceOf } from "./compare-plan.ts";
export { differenceOf, graver, needsOff, type Deviation } from "./deviation.ts";
export { nodeTwice } from "./errors.ts";
export type { Face, PlanLine, Section } from "./face.ts";
export { hostRegistry, type HostRegistry } from "./preflight/host-registry.ts";
export {
  hostsToCheck,
  hostViews,
  machineOf,
  once,
  type HostView,
  type Read,
  type Wanted,
  type WantedNode,
} from "./preflight/host-view.ts";
export { rollingMove, rollingRestart, type HealthyNodes, type RollingGates } from "./rolling-restart.ts";
export { momentText, windowState, type WindowState } from "./rollout-window.ts";
export {
  dataFacts,
  imageNode,
  imageStep,
  leftoverImage,
  leftoverMachine,
  machineNode,
  machineStep,
  ownerOfShared,
} from "./machine-steps.ts";
export { faultsText, findingOfNodes, nodesText, onlyCause, type NodeFaults } from "./node-findings.ts";
export { planEvent, type Change, type Plan } from "./plan.ts";
export { copiedDisks, Destinations } from "./placement/destinations.ts";
export { isOnHost, placeLeaving, type Stuck } from "./placement/evacuation.ts";
export { machinesToReturn } from "./placement/homecoming.ts";
export { placeNodes } from "./placement/placement.ts";
export { freeCapacityOf, type FreeCapacity } from "./placement/free-capacity.ts";
export { withTopology } from "./placement/topology.ts";
export { vlanObjection } from "./vlan-objection.ts";
export { clusterOfStep, nameOfStep, stepInCluster } from "./step-id.ts";
export {
  defineResource,
  faceOf,
  same,
  stages,
  type AnyResource,
  type Difference,
  type FieldChange,
  type Graph,
  type GraphNode,
  type Objection,
  type OwnSurvey,
  type ReadContext,
  type Resource,
  type Seen,
  type Stage,
  type StepContext,
  type Wait,
} from "./resource.ts";
