import { timestampFromMs, type Timestamp } from "@bufbuild/protobuf/wkt";

/** A scaled clock gives fractions of milliseconds, which the conversion does not take. */
export const timestampAt = (ms: number): Timestamp => timestampFromMs(Math.floor(ms));
