import { mkdtemp, writeFile } from "node:fs/promises";
import path from "node:path";
import { findKubectl, runProgram, type Outcome } from "../kube/kubectl.ts";
import { startProgram, type Finished } from "../sim/sim-site.ts";
import { findTalosctl } from "./talosctl.ts";

/** The program as typed in a folder, and what others do with the files it gives out. */
export interface RealProgram {
  slipway(...args: string[]): Promise<Finished>;
  /** What the program said; throws when it did not end well. */
  said(...args: string[]): Promise<string>;
  /** Somebody who is given the access files as they are now, and goes on using them. */
  bystander(): Promise<Bystander>;
}

/** The real clients; each says how it ended. */
export interface Bystander {
  kubectl(...args: string[]): Promise<Outcome>;
  talosctl(...args: string[]): Promise<Outcome>;
}

/** Whether both clients are here. */
export const hasClients = findKubectl() !== undefined && findTalosctl() !== undefined;

/** `netns`: where the program runs, as on another machine; here when left out. */
export function realProgram(folder: string, env: NodeJS.ProcessEnv, netns?: string): RealProgram {
  const all = { ...process.env, NO_COLOR: "1", LANG: "C.UTF-8", COLUMNS: "120", ...env };
  const slipway = (...args: string[]): Promise<Finished> => startProgram(args, folder, all, netns).ended;
  const said = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await slipway(...args);
    if (code !== 0) throw new Error(`slipway ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
    return stdout + stderr;
  };
  return {
    slipway,
    said,
    async bystander() {
      const home = await mkdtemp(path.join(folder, "bystander-"));
      const files = {
        KUBECONFIG: path.join(home, "kubeconfig"),
        TALOSCONFIG: path.join(home, "talosconfig"),
      };
      await writeFile(files.KUBECONFIG, (await slipway("kubeconfig")).stdout);
      await writeFile(files.TALOSCONFIG, (await slipway("talosconfig")).stdout);
      const asks =
        (program = "") =>
        (...args: string[]): Promise<Outcome> =>
          runProgram(program, args, { env: { HOME: home, ...files } });
      return { kubectl: asks(findKubectl()), talosctl: asks(findTalosctl()) };
    },
  };
}
