import path from "node:path";
import { describeCause } from "../../../errors/index.ts";
import { limitTime, TimeLimitError } from "../../../lib/index.ts";
import { rolloutOf, type Cluster, type CommandGate } from "../../../spec/index.ts";
import type { World } from "../../../world/index.ts";
import { gateTrouble } from "../../../distros/kubernetes/index.ts";
import { gateNotRun } from "../../run/errors.ts";
import type { KubeClient } from "../../../clients/kube/index.ts";

/** Which gates of the file keep nodes from going now, in words. */
export async function ownTrouble(
  cluster: Cluster,
  openKube: (cluster: Cluster) => Promise<KubeClient | undefined>,
  world: World,
): Promise<string[]> {
  const own = rolloutOf(cluster).gates ?? [];
  const objects = own.flatMap((gate) => ("command" in gate ? [] : gate));
  const kube = objects.length > 0 ? await openKube(cluster) : undefined;
  const found = await Promise.all([
    kube ? gateTrouble(kube, objects) : [],
    ...own.map(async (gate) =>
      "command" in gate ? ((await commandTrouble(cluster, gate, world)) ?? []) : [],
    ),
  ]);
  return found.flat();
}

/**
 * Why a command of the file keeps nodes from going, if it does: it ended badly, with the last line it wrote, or took too
 * long. It runs where the cluster file is, and gets nothing of the environment that could be a secret.
 */
async function commandTrouble(
  { name, at }: Cluster,
  { command: [program, ...args], timeoutMs }: CommandGate,
  { runProgram, clock, stop, tell }: World,
): Promise<string | undefined> {
  const text = [program, ...args].join(" ");
  if (!runProgram) {
    tell({ type: "log", level: "info", text: `not run in a rehearsal: ${text}` });
    return undefined;
  }
  const options = { cwd: path.dirname(path.resolve(at.file)), env: { SLIPWAY_CLUSTER: name } };
  let last = "";
  const onLine = (_stream: string, line: string): void => {
    if (line.trim() !== "") last = line.trim();
  };
  try {
    const late = `no end within ${timeoutMs / 1000}s`;
    const { code } = await limitTime(clock, timeoutMs, late, stop, (signal) =>
      runProgram(program, args, { ...options, signal, onLine }),
    );
    return code === 0 ? undefined : `${text} ended with ${code}${last === "" ? "" : `: ${last}`}`;
  } catch (thrown) {
    stop.throwIfAborted();
    if (thrown instanceof TimeLimitError)
      return `${text}: ${thrown.message}${last === "" ? "" : `: ${last}`}`;
    throw gateNotRun({ cluster: name, command: text, why: describeCause(thrown), cause: thrown });
  }
}
