import { encodeMachineConfig } from "../config-document.ts";
import { machineConfig } from "../machine-config.ts";
import type { MachineIntent } from "../machine-intent.ts";
import type { TalosAccess } from "./talos-access.ts";

const rendered = new WeakMap<TalosAccess, WeakMap<MachineIntent, string>>();

/** The text of a machine config. The file and the node get the same one, so it is written once per run. */
export async function renderConfig(
  access: TalosAccess,
  cluster: string,
  intent: MachineIntent,
): Promise<string> {
  const bundle = await access.bundle(cluster);
  const known = rendered.get(access) ?? new WeakMap<MachineIntent, string>();
  rendered.set(access, known);
  const text = known.get(intent) ?? encodeMachineConfig(machineConfig(intent, bundle));
  known.set(intent, text);
  return text;
}
