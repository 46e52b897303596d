/** How plans, runs and errors look: views turn the stream of events and plain data into text, and know nothing else. */
export { screenFor, wantsLive, type Env, type OutputStream, type Screen } from "./screen.ts";
export { style, type Glyphs, type Role, type Style } from "./style.ts";
export type { View } from "./view.ts";
export { encodeEvent, jsonView } from "./json-view.ts";
export { plainView, type PlainViewOptions } from "./plain-view.ts";
export { renderError, type ErrorExtras } from "./render-error.ts";
export { groupFailures, type FailedStep } from "./group-failures.ts";
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
