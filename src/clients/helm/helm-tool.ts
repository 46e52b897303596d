import path from "node:path";
import { connectHelm } from "./client.ts";
import { ensureHelm, type EnsureOptions } from "./find-helm.ts";
import type { HelmClient, HelmOptions } from "./options.ts";
import type { HelmProgram } from "./version.ts";

/** Helm on this machine, looked for (and fetched if need be) when it is first used. */
export interface HelmTool {
  /** With a kubeconfig's text for work on a cluster, without one for rendering. */
  open(kubeconfig?: string): Promise<HelmClient>;
  /** Where `renderCached` keeps what charts render to. */
  renderFolder: string;
}

export type HelmToolOptions = EnsureOptions & Pick<HelmOptions, "folder" | "trust" | "onLine">;

export function helmTool(options: HelmToolOptions): HelmTool {
  let program: Promise<HelmProgram> | undefined;
  const { run, folder, trust, onLine } = options;
  return {
    renderFolder: path.join(folder, "renderings"),
    async open(kubeconfig) {
      program ??= ensureHelm(options).catch((error: unknown) => {
        // The next who asks may find the network back.
        program = undefined;
        throw error;
      });
      return connectHelm({
        helm: await program,
        run,
        folder,
        ...(kubeconfig !== undefined && { kubeconfig }),
        ...(trust !== undefined && { trust }),
        ...(onLine !== undefined && { onLine }),
      });
    },
  };
}
