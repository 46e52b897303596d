/** Named questions about a running cluster: `doctor` says why it is not well. */
export * from "./doctor/index.ts";
