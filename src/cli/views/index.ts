/** How plans, runs and errors look: views turn the stream of events and plain data into text, and know nothing else. */
export { screenFor, wantsLive, type Screen } from "./text/screen.ts";
export { rowsOn } from "./text/line.ts";
export { style } from "./text/style.ts";
export type { View } from "./view.ts";
export { jsonView } from "./plain/json-view.ts";
export { plainView } from "./plain/plain-view.ts";
export { liveView, type LiveViewOptions } from "./live/live-view.ts";
export { placeOfSecret, renderGranted } from "./render-granted.ts";
export { renderPreflight } from "./checks/render-preflight.ts";
export { renderWarnings } from "./checks/render-checks.ts";
export { renderJunit } from "./checks/render-junit.ts";
export { verifyView } from "./checks/verify-view.ts";
export { renderAnswer, renderDiagnosis, renderDoctorHead } from "./checks/render-doctor.ts";
export { renderError } from "./problem/render-error.ts";
export { formatDuration, groupFailures } from "../../views/index.ts";
export { backupTable, machineBackupTable, renderCheckedBackup } from "./render-backups.ts";
export { renderBootMedia } from "./render-boot-media.ts";
export { renderRestoration, renderPutBack } from "./render-restore.ts";
export { renderDisaster, renderMoment } from "./render-disaster.ts";
export { renderUpgrade } from "./render-upgrade.ts";
export { afterInit, renderInit } from "./render-init.ts";
export {
  renderDatacenter,
  renderMerged,
  renderNoProxy,
  renderProxy,
  renderServed,
} from "./answers/render-access.ts";
export { renderExampleCopied, renderExamples, renderVersion, renderWritten } from "./answers/render-files.ts";
export {
  renderAdoption,
  renderRecovered,
  renderRekeyed,
  renderRenewed,
  renderRotatedToken,
  renderSecrets,
} from "./answers/render-secrets.ts";
export {
  renderRollbackWarning,
  renderSnapshots,
  snapshotTable,
  type ShownSnapshots,
} from "./answers/render-snapshots.ts";
export { renderHome } from "./render-home.ts";
export { renderLeftNow } from "./live/closing.ts";
export { renderMoves } from "./plan/render-moves.ts";
export { renderRotation } from "./plan/render-rotation.ts";
export { renderPlan } from "./plan/render-plan.ts";
export {
  renderStatus,
  type AddonRow,
  type ClusterRow,
  type NodeRow,
  type RowState,
} from "./render-status.ts";
