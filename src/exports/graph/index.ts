/** Clusters as pictures: what they show is described once as plain data, then drawn as SVG or written for Mermaid and D2. Pure. */
export { describeNetwork } from "./describe/describe-network.ts";
export { actionMarks, describeSteps, noteOf, planFromNothing } from "./describe/describe-steps.ts";
export { describeTopology } from "./describe/describe-topology.ts";
export type {
  HostFinding,
  LeftoverMachine,
  NodeFinding,
  ReadCluster,
  Readings,
} from "./describe/findings.ts";
export { writeDiagram } from "./write-diagram.ts";
export { contentOf } from "./titles.ts";
export type * from "./model.ts";
export { formats, sources, views } from "./model.ts";
