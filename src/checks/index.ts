/** Named questions about a running cluster: `health` says whether it is well, `doctor` why it is not. */
export * from "./doctor/index.ts";
export * from "./health/index.ts";
