/** K3s: from machines of a cloud image to a cluster, and the files people need to use it. */
export { findArtifacts, type ArtifactWorld, type FoundArtifacts, type LocalArtifact } from "./artifacts.ts";
export { configFile, type JoinTokens } from "./config-file.ts";
export { reasonIn, type JournalCode, type JournalReason } from "./journal.ts";
export { journalError } from "./errors.ts";
export { issueAdmin, kubeconfig } from "./kubeconfig.ts";
export { foundingFile, isFounding, joiningFile } from "./membership.ts";
export { k3sPaths, stagedBinary, type NodeFile } from "./paths.ts";
export { artifactNames, artifactUrl, checksumIn, compareK3s, kubernetesOf } from "./release.ts";
export { agentToken, caHash, serverToken, trustFiles } from "./trust.ts";
export { k3sDistribution } from "./steps/distribution.ts";
export type { K3sWorld } from "./steps/k3s-access.ts";
