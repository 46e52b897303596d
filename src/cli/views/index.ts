/** How plans, runs and errors look: views turn the stream of events and plain data into text, and know nothing else. */
export { screenFor, wantsLive, type Env, type OutputStream, type Screen } from "./screen.ts";
export { style, type Glyphs, type Role, type Style } from "./style.ts";
export { blank, drawLine, drawLines, hint, line, type Canvas, type Line, type Span } from "./line.ts";
export { layOut, type Column } from "./table.ts";
export type { View } from "./view.ts";
export { encodeEvent, jsonView } from "./json-view.ts";
export { plainView, type PlainViewOptions } from "./plain-view.ts";
export { liveView, type LiveViewOptions } from "./live-view.ts";
export { realTimer, type Timer } from "./timer.ts";
export { placeOfSecret, renderGranted, type ShownGrant } from "./render-granted.ts";
export { renderPreflight, type PreflightCheck } from "./render-preflight.ts";
export { renderWarnings, type ShownCheck } from "./render-checks.ts";
export { renderJunit } from "./render-junit.ts";
export { verifyView, type VerifyViewOptions } from "./verify-view.ts";
export { renderAnswer, renderDiagnosis, renderDoctorHead, type ShownAnswer } from "./render-doctor.ts";
export { renderError, type ErrorExtras } from "./render-error.ts";
export { groupFailures, type FailedStep } from "./group-failures.ts";
export { renderHome, type HomeInput } from "./render-home.ts";
export { renderLeftNow } from "./closing.ts";
export type { PlanFacts } from "./plan-facts.ts";
export type { PlanInput } from "./plan-input.ts";
export { renderPlan } from "./render-plan.ts";
export { renderProblems, type ShownProblem } from "./render-problems.ts";
export {
  renderStatus,
  type AddonRow,
  type ClusterRow,
  type NodeRow,
  type RowState,
} from "./render-status.ts";
export { renderTimeline } from "./render-timeline.ts";
export {
  formatBytes,
  formatCount,
  formatDuration,
  formatElapsed,
  formatEstimate,
  formatMiB,
  formatNumber,
  formatRanges,
  joinNames,
  listNames,
} from "./words.ts";
