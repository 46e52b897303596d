/** What all screens of a run are made of: its state read from its events, and how steps, waits, changes and times are worded. Pure. */
export {
  formatBytes,
  formatCount,
  formatDuration,
  formatElapsed,
  formatEstimate,
  formatMiB,
  formatNumber,
  formatRanges,
  formatSeconds,
  joinNames,
  listNames,
  lowerFirst,
} from "./format.ts";
export { changeRows, type ChangeRow } from "./plan/changes.ts";
export { diskText, factsOf, sharedFact, type PlanFacts } from "./plan/facts.ts";
export { problemTitle, summarizeChecks, type CheckSummary } from "./run/check-summary.ts";
export { errorsOf, groupFailures } from "./run/group-failures.ts";
export {
  currentStep,
  groupOrder,
  groupTitles,
  pendingText,
  resultOfGroup,
  subjectCount,
  skippedText,
} from "./run/group-text.ts";
export { longestChainMs } from "./run/longest-chain.ts";
export {
  countText,
  hostOfRun,
  backupsOfRun,
  outputOf,
  resultText,
  stepCountText,
  subjectOfRun,
  worldText,
} from "./run/outcome-text.ts";
export { pathOf, timedSteps } from "./run/path-of-run.ts";
export {
  clusterCount,
  isOver,
  isRehearsal,
  newRunState,
  type CheckTally,
  type GroupKey,
  type GroupState,
  type RunState,
  type StepState,
  type StepStatus,
  type SubjectState,
  type Told,
} from "./run/run-state.ts";
export { countOf, laneLabel, shortStep } from "./run/step-name.ts";
export { actionText, progressText, queueText, waitDetails, waitText } from "./run/step-text.ts";
export { takeEvent } from "./run/take-event.ts";
export { findOpenWait, remainingMs } from "./run/waits-and-rest.ts";
