import type { MachineConfigDocument } from "./config-document.ts";
import { contractOf, minorOf, newestContract, oldestContract } from "./contract.ts";
import { contractUnclear } from "./errors.ts";
import { hasField } from "./exclusive-fields.ts";
import { isMainDocument } from "./shapes/document-shapes.ts";

/**
 * The contract a running config was made for: the newest of those that would have written it, never newer than the
 * Talos that runs. Generating with it again after a Talos upgrade changes nothing of the config's form.
 */
export function contractOfConfig(documents: readonly MachineConfigDocument[], talos: string): string {
  const [oldest, newest] = possibleContracts(documents);
  const running = Math.min(minorOf(talos), newestContract);
  return contractOf(`1.${Math.max(oldest, Math.min(newest, running))}`).name;
}

/** Oldest and newest minor whose generated config has these marks. */
function possibleContracts(documents: readonly MachineConfigDocument[]): [number, number] {
  const main = documents.find(isMainDocument);
  const has = (kind: string) => documents.some((document) => document["kind"] === kind);
  if (!main) throw contractUnclear({ why: "the config has no main document" });
  if (has("KubeClusterConfig") || has("DiscoveryIdentityConfig")) return [14, newestContract];
  if (!hasField(main, "machine.features.hostDNS"))
    throw contractUnclear({
      why: `it was made for a Talos before 1.${oldestContract}, or changed a lot since`,
    });
  if (hasField(main, "machine.features.rbac") || hasField(main, "cluster.apiServer.disablePodSecurityPolicy"))
    return [oldestContract, 11];
  if (!hasField(main, "machine.install.grubUseUKICmdline") && !has("HostnameConfig"))
    return [oldestContract, 11];
  // Only 1.12 writes the empty section; a patch may have filled it later.
  return hasField(main, "machine.network") && !has("KubeSpanConfig") ? [12, 12] : [13, 13];
}
