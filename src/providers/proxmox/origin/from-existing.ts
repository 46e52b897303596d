import type { CloneKind } from "../../../spec/index.ts";
import type { Origin } from "./origin.ts";

/** Clones of a template that somebody else keeps: it is looked at, never changed, never removed. */
export const fromExisting = (vmid: number, clone: CloneKind): Origin => ({
  before: [],
  sourceOf: () => ({
    image: { storage: "", file: "" },
    from: { kind: "clone", template: vmid, clone, isTheirs: true },
    after: [],
    facts: { from: `clone of template ${vmid}` },
  }),
  afterwards: () => [],
});
