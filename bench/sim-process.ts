import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import readline from "node:readline";
import { benchOptions } from "./options.ts";

const { program: other } = benchOptions(process.argv.slice(2));
export const program = path.resolve(other ?? path.join(import.meta.dirname, "../bin/slipway.js"));

export interface SimProcess {
  pid: number;
  fingerprint: string;
  /** Authority of its certificates, PEM. */
  ca: string;
  stop(): Promise<void>;
}

/** The simulated datacenter in a process of its own, so that its work is not counted as ours. */
export async function startSim(datacenter: string, listen: string, speed: number): Promise<SimProcess> {
  const args = [
    program,
    "sim",
    "--json",
    "--datacenter",
    datacenter,
    "--listen",
    listen,
    "--speed",
    String(speed),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  // What a bench that was ended left behind would keep its addresses from the next one.
  const end = (): void => void child.kill("SIGKILL");
  process.once("exit", end);
  const lines = readline.createInterface({ input: child.stdout });
  const [first] = (await Promise.race([once(lines, "line"), once(child, "exit").then(() => ["{}"])])) as [
    string,
  ];
  const { fingerprint, ca = "" } = JSON.parse(first) as { fingerprint?: string; ca?: string };
  if (fingerprint === undefined) throw new Error("the simulated datacenter did not start");
  return {
    pid: child.pid ?? 0,
    fingerprint,
    ca,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
      process.off("exit", end);
    },
  };
}
