/** One story per verb: apply (read this first), destroy, status, and what they share. */
export { adoptCluster, type Adoption, type AdoptRequest, type FoundNode } from "./adopt.ts";
export { applyFleet, type ApplyRequest, type ApprovedPlan } from "./apply.ts";
export { openClusterAccess, type AccessRequest, type ClusterAccess } from "./cluster-access.ts";
export { destroyFleet, type DestroyRequest, type Removal } from "./destroy.ts";
export { diagnoseFleet, type DoctorRequest } from "./doctor.ts";
export type { Diagnosis } from "../checks/index.ts";
export type { Ending } from "./ending.ts";
export { exportTalhelper, type ExportedFile } from "./export.ts";
export { exportDnsmasq } from "./export-dnsmasq.ts";
export { eventStream, runName } from "./event-stream.ts";
export { openJournal, type Journal } from "./journal.ts";
export { accountsOf, grantRights, printedGrant, type Account, type Granted } from "./grant.ts";
export { loadFleet } from "./load-fleet.ts";
export { openNodeConsole, type ConsoleRequest } from "./node-console.ts";
export { openNodeSession, type SessionRequest } from "./node-session.ts";
export { planFile, readPlanFile, type PlanFile } from "./plan-file.ts";
export { planFleet, type FleetPlan, type PlanRequest } from "./plan-fleet.ts";
export { rotateAccount, type Rotation } from "./rotate-account.ts";
export { decryptSecret, listSecrets, rekeySecrets, type Rekeyed, type ShownSecret } from "./secrets.ts";
export { refuseSecretsInGit } from "./secrets-in-git.ts";
export { parseSelection, selectClusters, type Selection } from "./select.ts";
export {
  listFleetSnapshots,
  removeSnapshots,
  rollBackMachines,
  takeSnapshots,
  type RollbackRequest,
  type SnapshotReport,
  type SnapshotRequest,
} from "./snapshots.ts";
export type { AddonStatus } from "../addons/index.ts";
export { fleetStatus, type ClusterStatus, type NodeStatus } from "./status.ts";
export { supportBundle, type BundleRequest, type SupportBundle } from "./support-bundle.ts";
export { verifyFleet, type VerifyRequest } from "./verify.ts";
export { rehearseFleet, type RehearseRequest } from "./rehearse.ts";
export type { CheckResult } from "../engine/index.ts";
export { previewFleet, type Preview } from "./preview.ts";
export { previewRemoval } from "./destroy.ts";
