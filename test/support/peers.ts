import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/**
 * Peers are what tests are held against and npm does not bring: real programs, servers, rights on this machine, and
 * recordings of real servers beside the repository. `npm test` leaves them alone even where they are, so that it is the
 * same everywhere; `npm run test:peers` looks for each and says how to get what is missing.
 */
const isLooking = process.env["SLIPWAY_PEERS"] !== "none";

/** Stands behind the title of every test, or group of tests, that needs one: package.json goes by it. */
export const peers = { tags: ["peers"] };

/** The file, if it is there. */
export const peerFile = (...parts: string[]): string | undefined => {
  const file = path.join(...parts);
  return isLooking && existsSync(file) ? file : undefined;
};

/** What the scripts of `lab/` have made, if it is there. */
export const labFile = (...parts: string[]): string | undefined => peerFile(labCache(), ...parts);

/** Where the scripts of `lab/` put what they make. */
export const labCache = (): string =>
  process.env["SLIPWAY_LAB_CACHE"] ?? path.join(os.homedir(), ".cache/slipway-lab");

/** Whether there is such a program. What it exits with says nothing: some have no way to only tell their version. */
export const hasProgram = (name: string, ...args: string[]): boolean =>
  isLooking && spawnSync(name, args, { stdio: "ignore" }).error === undefined;

/** Whether such a call ends well here. */
export const succeeds = (name: string, ...args: string[]): boolean =>
  isLooking && spawnSync(name, args, { stdio: "ignore" }).status === 0;
