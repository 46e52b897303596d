/**
 * A simulated K3s, as a program of simulated Linux hosts: servers and agents with the real rules for tokens, authorities and
 * etcd members, one port for supervisor and Kubernetes, and the journal of the real one. Start reading at `run-server.ts`.
 */
export { k3sProgram, type K3sOptions, type K3sProgram } from "./program.ts";
export type { K3sClustersState } from "./cluster-table.ts";
export { standInArtifact } from "./stand-in-release.ts";
export { standInBinary } from "./version.ts";
