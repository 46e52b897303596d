import os from "node:os";
import path from "node:path";
import { connectHelm, ensureHelm, type HelmClient, type HelmProgram } from "../clients/helm/index.ts";
import { forwardedKubeconfig } from "../clients/kube/index.ts";
import { cacheFolder } from "./folders.ts";
import { realClock, type CallTrace, type Dial } from "../lib/index.ts";
import { runProgramWith } from "./run-program.ts";

export interface HelmWorld {
  env: NodeJS.ProcessEnv;
  /** `.slipway`. */
  folder: string;
  stop: AbortSignal;
  calls?: CallTrace;
}

export interface HelmAccess {
  /** The text of a kubeconfig; without one helm can only render. */
  kubeconfig?: string | undefined;
  /** The way to the cluster, where the program cannot go by itself. */
  dial?: Dial | undefined;
  onLine?: ((line: string) => void) | undefined;
}

/** Helm on this machine: looked for, or fetched, when it is first asked for, and then known. */
export function helmOnThisMachine({ env, folder, stop, calls }: HelmWorld) {
  const run = runProgramWith(env);
  let found: Promise<HelmProgram> | undefined;
  return async ({ kubeconfig, dial, onLine }: HelmAccess): Promise<HelmClient> => {
    found ??= ensureHelm({
      run,
      signal: stop,
      configured: env["SLIPWAY_HELM"],
      toolFolder: path.join(cacheFolder(env), "tools"),
      fetch: (url, options) => fetch(url, options),
      machine: { platform: os.platform(), arch: os.arch() },
    });
    // What could not be had now may be had later.
    found.catch(() => (found = undefined));
    return connectHelm({
      clock: realClock,
      calls,
      helm: await found,
      run,
      folder: path.join(folder, "helm"),
      kubeconfig,
      reach: dial && ((text: string) => forwardedKubeconfig(text, dial)),
      onLine,
    });
  };
}
