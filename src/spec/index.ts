/** The cluster file: schema, defaults, addresses, cross-checks, positions. Pure: text in, model or problems out. */
export type * from "./model.ts";
