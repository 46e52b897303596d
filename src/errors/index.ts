/** The one error type users see, how errors are declared, and how they travel in events. */
export { SlipwayError } from "./slipway-error.ts";
export type { ErrorFields, Position } from "./slipway-error.ts";
export { defineError, type ErrorDefinition, type ErrorText } from "./define-error.ts";
export { diskError, diskText } from "./disk-error.ts";
export { describeCause, errorData, isRequestWrong, type ErrorData } from "./error-data.ts";
