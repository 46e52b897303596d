import { execFileSync } from "node:child_process";
import { labFile } from "../peers.ts";

export const howToGetHealth = "build it with lab/build-probe.sh health-probe";

/** A small program on the code by which Flux and Argo CD judge an object. */
export const findHealth = (): string | undefined => labFile("health-probe");

export interface Health {
  name: string;
  /** Of Flux, without any expression. */
  kstatus: string;
  /** Of Flux, by the expressions. */
  flux: string;
  argo: string;
  message: string;
}

/** What both say of each object; throws what they say when an expression or the script is wrong. */
export const healthOf = (
  program: string,
  by: { flux: object; argo: string },
  objects: readonly object[],
): Health[] =>
  JSON.parse(
    execFileSync(program, [], {
      input: JSON.stringify({ ...by, objects }),
      encoding: "utf8",
      stdio: "pipe",
    }),
  ) as Health[];
