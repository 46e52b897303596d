import { defineError, type Position } from "../errors/index.ts";

export const datacenterFileWrong = defineError("SIM_DATACENTER_FILE", (at: Position, why: string) => ({
  what: `Cannot read the datacenter file "${at.file}"`,
  why,
  next: `Correct ${at.file}:${at.line}:${at.column} and run "slipway sim" again`,
  at,
}));
