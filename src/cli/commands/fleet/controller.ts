import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { connectKube, type KubeClient } from "../../../clients/kube/index.ts";
import { runController, type ControllerOptions } from "../../../controller/index.ts";
import { dialDirect, randomUuid, realClock, realRandom } from "../../../lib/index.ts";
import type { LogLevel } from "../../../plan/index.ts";
import { ageKeys } from "../../../secrets/index.ts";
import { realWorld } from "../../../world/index.ts";
import { levelsUpTo, type CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { notUnderstood } from "../../errors.ts";
import { openManagement } from "./open-management.ts";

interface ControllerCommand extends CommonOptions {
  namespace?: string;
  kubeconfig?: string;
  folder: string;
  port: number;
  shard: string;
}

/** Where a pod finds who it is and whom it may trust. */
const inPod = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Runs until a signal, or until another controller holds the Lease. Nothing new is begun then; what has begun comes to its end. */
export async function run(shell: Shell, options: ControllerCommand): Promise<number> {
  const { client, namespace } = await openObjects(shell, options);
  const { clock = realClock, dial = dialDirect } = shell.simulated ?? {};
  const folder = path.resolve(options.folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const log = logger(shell, options, () => clock.now());
  // Runs are never cut: a signal lets them come to the end of what has begun.
  const stop = new AbortController().signal;
  const { calls, redaction, env } = shell;
  const controller: ControllerOptions = {
    ...{ client, namespace, folder, clock, redaction, calls, env, stop, log, port: options.port },
    random: realRandom,
    identity: `${os.hostname()}_${randomUuid(realRandom)}`,
    shard: shardIn(options.shard),
    halt: shell.stop,
    keys: ageKeys({ env }),
    openWorld: (fleet, tell, keys) =>
      realWorld({
        ...{ file: fleet.file, fleet, env, stop, tell, calls, redaction, keys },
        simulated: shell.simulated && { clock, dial },
      }),
    onLeading: () => log("info", `works on the objects in ${namespace}`),
  };
  log("info", `waits for the Lease in ${namespace} of ${client.server}`);
  try {
    const end = await runController(controller);
    if (end === "halted") return 0;
    log("error", "another controller holds the Lease now");
    return 1;
  } finally {
    client.close();
  }
}

/** As a pod in its own cluster, unless a kubeconfig is named. */
async function openObjects(
  shell: Shell,
  { kubeconfig, namespace }: ControllerCommand,
): Promise<{ client: KubeClient; namespace: string }> {
  const { env } = shell;
  const host = env["KUBERNETES_SERVICE_HOST"];
  if (kubeconfig !== undefined || host === undefined) {
    const named = {
      namespace: namespace ?? "slipway-system",
      ...(kubeconfig !== undefined && { kubeconfig }),
    };
    return { client: await openManagement(shell, named), namespace: named.namespace };
  }
  const read = (name: string): string => readFileSync(path.join(inPod, name), "utf8").trim();
  const port = env["KUBERNETES_SERVICE_PORT"] ?? "443";
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const client = connectKube({
    kubeconfig: { server, ca: read("ca.crt") },
    // The kubelet renews it in place, long before it ends.
    readToken: () => read("token"),
    dial: dialDirect,
    clock: realClock,
    calls: shell.calls,
  });
  return { client, namespace: namespace ?? read("namespace") };
}

/** `2/3` is the second of three. */
function shardIn(text: string): { index: number; count: number } {
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (!(index >= 1 && index <= count))
    throw notUnderstood(`"--shard ${text}" is not which of how many, like 1/3`);
  return { index: index - 1, count };
}

function logger(shell: Shell, { json, logLevel = "info" }: ControllerCommand, now: () => number) {
  const levels = levelsUpTo(logLevel);
  return (level: LogLevel, text: string): void => {
    if (!levels.includes(level)) return;
    const at = new Date(now()).toISOString();
    if (json) shell.lines.tell({ type: "notice", at, level, text });
    else shell.out.write(`${at} ${level.padEnd(5)} ${text}\n`);
  };
}
