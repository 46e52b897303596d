/** One story per verb: up (read this first), down, plan, status, and what they share. */
export { capacityOf, type FleetCapacity, type HostCapacity } from "./fleet/capacity.ts";
export { factsOf } from "./fleet/facts.ts";
export { adoptCluster, type Adoption, type AdoptRequest, type FoundNode } from "./adopt.ts";
export { upFleet, type UpRequest, type ApprovedPlan } from "./up.ts";
export { openClusterAccess, type AccessRequest, type ClusterAccess } from "./access/cluster-access.ts";
export { mergeKubeconfig, type MergedKubeconfig } from "./access/merge-kubeconfig.ts";
export { backupFleet, type BackupRequest } from "./backup.ts";
export { checkBackup, type CheckedBackup, type SnapshotTrial } from "./backups/check-backup.ts";
export type { BackupStatus } from "./backups/backup-status.ts";
export type { ForeignFile, StoredBackup } from "./backups/keep-backups.ts";
export { listMachineBackups } from "./backups/machine-backups.ts";
export { listBackups, newestBackup, type ListedBackups } from "./backups/list-backups.ts";
export { downFleet, previewRemoval, type DownRequest, type Removal } from "./down.ts";
export { evacuateHost } from "./moves/evacuate.ts";
export { returnToHost } from "./moves/return.ts";
export type { MoveRequest, PlannedMoves } from "./moves/plan-moves.ts";
export { diagnoseFleet, type DoctorRequest } from "./doctor.ts";
export type { Diagnosis } from "../checks/index.ts";
export type { RunReport } from "./run/run-report.ts";
export { exportDnsmasq, exportTalhelper, exportTerraform, type ExportedFile } from "./export.ts";
export { eventStream, runName } from "./run/event-stream.ts";
export { openJournal, type Journal } from "./run/journal.ts";
export { accountsOf, grantRights, printedGrant, type Account, type Granted } from "./access/grant.ts";
export { initFleet, type InitReport, type InitRequest } from "./init.ts";
export { schemaLine } from "./init/file-text.ts";
export { writeInitFiles } from "./init/write-files.ts";
export { graphFleet, type GraphRequest } from "./graph.ts";
export { bootMediaOf, type ClusterMedia, type ImageRequest } from "./image.ts";
export { loadFleet, loadFleetData, type LoadedFleet, readSources } from "./fleet/load-fleet.ts";
export { lockHolder } from "./run/lock.ts";
export { registerSecrets } from "./access/register-secrets.ts";
export { openNodeConsole, type ConsoleRequest } from "./access/console.ts";
export { openNodeSession, type SessionRequest } from "./access/ssh.ts";
export {
  approvalOf,
  isApproved,
  planFile,
  readPlanFile,
  type PlanApproval,
  type PlanFile,
} from "./planning/plan-file.ts";
export { planFleet, previewFleet, type FleetPlan, type PlanRequest, type Preview } from "./plan.ts";
export { rollBackNode, type RollbackNodeRequest } from "./rollback.ts";
export { replaceNode, type ReplaceRequest } from "./replace.ts";
export { putFilesBack, type PutBack } from "./restore/put-back.ts";
export { openKnownBackup } from "./backups/check-backup.ts";
export { restoreCluster, restoreSecrets, type Restoration, type RestoreRequest } from "./restore/restore.ts";
export {
  rotateCa,
  rotatePart,
  type PlannedRotation,
  type RotateCaRequest,
  type RotatePartRequest,
} from "./rotation/rotate.ts";
export { rotateCredentials, type CredentialsRequest } from "./rotation/credentials.ts";
export { rotateAccount, type Rotation } from "./rotation/account.ts";
export {
  decryptSecret,
  listSecrets,
  recoverClusterSecrets,
  rekeySecrets,
  type Rekeyed,
  type ShownSecret,
} from "./secrets.ts";
export { refuseSecretsInGit } from "./planning/secrets-in-git.ts";
export { parseSelection, selectClusters, type Selection } from "./fleet/select.ts";
export {
  listFleetSnapshots,
  removeSnapshots,
  rollBackMachines,
  takeSnapshots,
  type RollbackRequest,
  type SnapshotReport,
  type SnapshotRequest,
} from "./snapshot.ts";
export type { AddonState, AddonStatus } from "../addons/steps/index.ts";
export { fleetStatus, outlineHosts, surveyHosts, surveyStatus } from "./status.ts";
export { careFor, type ClusterCare } from "./status/care.ts";
export type {
  CertificateStatus,
  ClusterState,
  ClusterStatus,
  ClusterVersions,
  NodeState,
  NodeStatus,
} from "./status/cluster-status.ts";
export type { NodeUsage } from "./status/usage.ts";
export { supportBundle, type BundleRequest, type SupportBundle } from "./support-bundle.ts";
export { editCluster } from "./fleet/edit-file.ts";
export {
  editsOf,
  upgradeChoices,
  type ClusterUpgrade,
  type UpgradeRequest,
  type VersionChoice,
} from "./fleet/upgrade-choices.ts";
export { verifyFleet, type VerifyRequest } from "./verify.ts";
export { openRehearsal, type OpenRehearsal, rehearseFleet, type RehearseRequest } from "./rehearse.ts";
export type { Disaster } from "./rehearsal/disaster/strike.ts";
export {
  rehearseDisaster,
  type DisasterReport,
  type DisasterRequest,
  type Moment,
} from "./rehearsal/disaster/rehearse-disaster.ts";
export type { CheckResult } from "../engine/index.ts";
