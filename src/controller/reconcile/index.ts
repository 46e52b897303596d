/** The loop: load, plan, ask the policy, run, tell. A thin layer around the operations; `cluster.ts` is the story. */
export type { Controller } from "./context.ts";
export { fieldManager, type ControllerWorld } from "./controller-world.ts";
export { clusterIn } from "./fleet-of.ts";
export { startLoop, type RunningController, type Shard } from "./controller.ts";
export { isLeftOut, secretNameOf } from "./secrets/cluster-files.ts";
export { documentSourceOf, type DocumentSource } from "./secrets/documents.ts";
export { fileBelow, fileOfKey, filesIn, keyOfFile } from "./secrets/files-by-key.ts";
export { sealedKey } from "./secrets/sealed-files.ts";
export { refuseLocalNames } from "./secrets/secret-refs.ts";
