/** The graph of wanted things, what a resource is, and the stream of events: the contracts all parts meet in. */
export type { GuestQuestion, Sighting } from "./guest-address.ts";
export { addressesCheck } from "./addresses-check.ts";
export { apartCheck } from "./apart-check.ts";
export { coresFinding, gibOfMiB, memoryFinding, type Demand } from "./capacity.ts";
export type { ConsoleListener, Consoles, MachinePlace } from "./console.ts";
export { failed, type Check, type Finding } from "./check.ts";
export type * from "./events.ts";
export type { Distribution, MachineSteps, NodeExam, NodeLook, RememberedNode } from "./distribution.ts";
export type * from "./provider.ts";
export type { RunNote, RunNotes } from "./run-notes.ts";
export { criticalPath, type CriticalPath, type TimedStep } from "./critical-path.ts";
export { comparePlan, compareRemoval, resourceOf } from "./compare-plan.ts";
export { differenceOf, graver, needsOff, type Deviation } from "./deviation.ts";
export { nodeTwice } from "./errors.ts";
export { hostBook, type HostBook } from "./host-book.ts";
export {
  hostsToCheck,
  hostView,
  machineOf,
  nodesHere,
  once,
  type HostView,
  type Read,
  type Wanted,
  type WantedNode,
} from "./host-view.ts";
export { rollingRestart, type AskHealthyNodes } from "./rolling-restart.ts";
export { dataFacts, leavingData, ownerOfShared } from "./leaving.ts";
export { faultsInWords, findingOfNodes, nodesInWords, onlyCause, type NodeFaults } from "./node-findings.ts";
export { planEvent, type Change, type Plan } from "./plan.ts";
export { placeNodes } from "./placement.ts";
export { roomOf, type Room } from "./room.ts";
export { withTopology } from "./topology.ts";
export { vlanObjection } from "./vlan-objection.ts";
export { VmidLedger } from "./vmid-ledger.ts";
export { stages, type Graph, type GraphNode, type Stage } from "./graph.ts";
export {
  defineResource,
  same,
  type AnyResource,
  type Difference,
  type FieldChange,
  type Objection,
  type ReadContext,
  type Resource,
  type Seen,
  type StepContext,
  type Wait,
} from "./resource.ts";
