/** The one error type users see, and how it travels in events. */
export { SlipwayError } from "./slipway-error.ts";
export type { ErrorFields, Position } from "./slipway-error.ts";
export { diskError, diskWords } from "./disk-error.ts";
export { describeCause, errorData, isRequestWrong, type ErrorData } from "./error-data.ts";
