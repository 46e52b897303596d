import { encodeMachineConfig } from "../config-document.ts";
import { machineConfig } from "../machine-config.ts";
import type { MachineIntent } from "../machine-intent.ts";
import { secretsIn, withSecrets } from "../intent-secrets.ts";
import type { TalosAccess } from "./talos-access.ts";

/** The intent with what it only refers to: passwords of registries, passphrases of disks. */
async function revealed(access: TalosAccess, cluster: string, intent: MachineIntent): Promise<MachineIntent> {
  const needed = secretsIn(intent);
  if (needed.length === 0) return intent;
  const values = needed.map(async ({ key, ref, what }) => {
    return [key, await access.world.resolveSecret(ref, `${what} of "${cluster}"`)] as const;
  });
  return withSecrets(intent, new Map(await Promise.all(values)));
}

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
  const text =
    known.get(intent) ?? encodeMachineConfig(machineConfig(await revealed(access, cluster, intent), bundle));
  known.set(intent, text);
  return text;
}
