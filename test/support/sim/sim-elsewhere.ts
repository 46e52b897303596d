import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Latencies } from "../../../src/sim/index.ts";

export interface SimElsewhereOptions {
  entries: { node: string; host: string; port: number }[];
  /** The namespace in front of it, and the address at which that one reaches it. */
  behind: { jumpHost: string; address: string };
  /** The cluster file whose hosts it has. */
  file: string;
  latencies?: Partial<Latencies>;
  speed?: number;
}

export interface SimElsewhere {
  ca: string;
  token: string;
  stop(): Promise<void>;
}

const program = path.resolve(import.meta.dirname, "sim-elsewhere-process.ts");

/** A simulated datacenter whose addresses exist in `netns` only. */
export async function startSimElsewhere(netns: string, options: SimElsewhereOptions): Promise<SimElsewhere> {
  const args = [
    "netns",
    "exec",
    netns,
    process.execPath,
    "--import",
    "tsx",
    program,
    JSON.stringify(options),
  ];
  const child = spawn("ip", args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => (said += String(text)));
  const told = await Promise.race([
    once(child.stdout.setEncoding("utf8"), "data").then(([line]) => line as string),
    once(child, "exit").then(() => Promise.reject(new Error(`no datacenter in ${netns}: ${said}`))),
  ]);
  return {
    ...(JSON.parse(told) as { ca: string; token: string }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}
