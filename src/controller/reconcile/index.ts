/** The loop: load, plan, ask the policy, run, tell. A thin layer around the operations; `cluster.ts` is the story. */
export type { Controller } from "./context.ts";
export { fieldManager, type ControllerWorld } from "./controller-world.ts";
export { clusterIn } from "./fleet-of.ts";
export { startLoop, type RunningController, type Shard } from "./controller.ts";
export {
  fileBelow,
  fileOfKey,
  filesIn,
  isLeftOut,
  keyOfFile,
  secretNameOf,
} from "./secrets/cluster-files.ts";
export { refuseLocalNames } from "./secrets/secret-refs.ts";
