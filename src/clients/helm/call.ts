import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { CallTrace, TimeLimitError, type ProgramOutcome } from "../../lib/index.ts";
import { helmMissing, helmStuck, kubeconfigNeeded } from "./errors.ts";
import { explainFailure, type Tried } from "./explain-failure.ts";
import { redactTexts } from "./redact-values.ts";
import type { HelmOptions } from "./options.ts";

export interface HelmCall {
  args: string[];
  tried: Tried;
  /** Values, which never stand on a command line. */
  stdin?: string;
  /** Whether helm must reach the cluster. */
  hasCluster?: boolean;
  /** After this helm is ended from outside; its own limits should strike before. */
  limitMs: number;
  /** What no message may quote. */
  secrets?: readonly string[];
  /** Failures that are answers: `release: not found`. */
  isAnswer?(outcome: ProgramOutcome): boolean;
}

/** Runs helm once, with nothing of the user's own settings, and turns its failure into one of ours. */
export async function callHelm(options: HelmOptions, call: HelmCall, signal: AbortSignal): Promise<string> {
  const words = call.secrets ?? [];
  const { what } = call.tried;
  const { calls = new CallTrace() } = options;
  if (call.hasCluster && options.kubeconfig === undefined) throw kubeconfigNeeded(what);
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  // mkdtemp makes a folder nobody else may enter.
  const scratch = await mkdtemp(path.join(options.folder, "call-"));
  const limit = new AbortController();
  let way: Awaited<ReturnType<NonNullable<HelmOptions["reach"]>>> | undefined;
  const cancel = options.clock.after(call.limitMs, () => limit.abort(new TimeLimitError(what)));
  try {
    const kubeconfig = path.join(scratch, "kubeconfig");
    if (call.hasCluster) {
      way = await options.reach?.(options.kubeconfig ?? "");
      await writeFile(kubeconfig, way?.kubeconfig ?? options.kubeconfig ?? "", { mode: 0o600 });
    }
    const trace = { protocol: "helm", to: options.helm.command, call: what } as const;
    const running = (): Promise<ProgramOutcome> =>
      options.run(options.helm.command, call.args, {
        env: helmEnvironment(options.folder, kubeconfig, scratch),
        cwd: scratch,
        // Not raced against: helm has ended when this returns, whatever ended it.
        signal: AbortSignal.any([signal, limit.signal]),
        stdin: call.stdin,
        onLine: (stream, line) => {
          // Its last word is told as an error of ours, or was an answer.
          if (stream === "stderr" && !line.startsWith("Error: ")) options.onLine?.(redactTexts(line, words));
        },
      });
    const outcome = await calls.run(trace, running, ({ code }) => `exit ${code}`);
    if (outcome.code === 0 || call.isAnswer?.(outcome)) return outcome.stdout;
    throw explainFailure(redactTexts(outcome.stderr, words), call.tried);
  } catch (error) {
    if (error instanceof TimeLimitError) throw helmStuck({ what, timeoutMs: call.limitMs });
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      throw helmMissing({ command: options.helm.command, isConfigured: false, cause: error });
    throw error;
  } finally {
    cancel();
    await way?.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Everything helm would look for at the user's home lies in our folder; plugins are not loaded. */
function helmEnvironment(folder: string, kubeconfig: string, home: string): Record<string, string> {
  return {
    HOME: home,
    HELM_CACHE_HOME: path.join(folder, "helm", "cache"),
    HELM_CONFIG_HOME: path.join(folder, "helm", "config"),
    HELM_DATA_HOME: path.join(folder, "helm", "data"),
    HELM_NO_PLUGINS: "1",
    HELM_DRIVER: "secret",
    // A file that is not there stands for no cluster at all, so that rendering never finds another one.
    KUBECONFIG: kubeconfig,
    NO_COLOR: "1",
  };
}
