/** K3s: from machines of a cloud image to a cluster, and the files people need to use it. */
export {
  findArtifacts,
  type ArtifactWorld,
  type FoundArtifacts,
  type LocalArtifact,
} from "./release/find-artifacts.ts";
export { configFile, type JoinTokens } from "./files/config-file.ts";
export { reasonIn, type JournalCode, type JournalReason } from "./journal/journal.ts";
export { journalError } from "./journal/journal-errors.ts";
export { foundingFile, isFounding, joiningFile } from "./files/membership-file.ts";
export { k3sPaths, stagedBinary, type NodeFile } from "./paths.ts";
export { artifactNames, artifactUrl, checksumIn, compareK3s, kubernetesOf } from "./release/release.ts";
export { agentToken, caHash, kubeconfig, serverToken, trustFiles } from "./files/trust.ts";
export { k3s } from "./declare.ts";
