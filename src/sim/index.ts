/** The simulated datacenter: emulators that speak the real protocols, and the seams between them. */
export type { ClusterView, VoterView } from "./cluster-view.ts";
export { startDatacenter, type Datacenter, type DatacenterOptions } from "./datacenter.ts";
export { defaultDatacenter, parseDatacenter, type DatacenterFile } from "./datacenter-file.ts";
export {
  clusterFaultKinds,
  type ClusterFault,
  type ClusterFaultKind,
  type ClusterFaults,
} from "./cluster-faults.ts";
export { hostFaultKinds, type HostFault, type HostFaultKind, type HostFaults } from "./host-faults.ts";
export { faultBox, faultKinds, type Fault, type FaultBox, type FaultKind } from "./faults.ts";
export { noLatencies, realisticLatencies, type Latencies } from "./latency.ts";
export type { StandIn } from "./stand-in.ts";
export { loopbackNetwork, mappedNetwork, type SimNetwork } from "./network.ts";
