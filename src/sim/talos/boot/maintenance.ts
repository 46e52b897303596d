import { createHash, X509Certificate } from "node:crypto";
import { maintenanceCertificate } from "../certificates.ts";
import type { TalosNode } from "../node.ts";

/**
 * A node without config makes itself a certificate and says on its consoles which, once for each: every change of its
 * name or address makes a new key, so that one is printed before the network is up and the one that counts after it.
 */
export async function enterMaintenance(node: TalosNode): Promise<void> {
  node.setStage("maintenance");
  tellKey(node, node.world.random.bytes(32).toString("base64"));
  const identity = await maintenanceCertificate(node);
  node.maintenance = identity;
  const addresses = node.addresses();
  const fingerprint = spkiFingerprint(identity.cert);
  say(node, "this machine is reachable at:");
  for (const address of addresses) say(node, `\t${address}`);
  tellKey(node, fingerprint);
  say(node, "upload configuration using talosctl:");
  say(node, `\ttalosctl apply-config --insecure --nodes ${node.address()} --file <config.yaml>`);
  say(node, "optionally with node fingerprint check:");
  say(
    node,
    `\ttalosctl apply-config --insecure --nodes ${node.address()} --cert-fingerprint '${fingerprint}' --file <config.yaml>`,
  );
}

const controller =
  '"component": "controller-runtime", "controller": "runtime.MaintenanceServiceInformController"';

const say = (node: TalosNode, text: string): void => node.print(`${text} {${controller}}`);

const tellKey = (node: TalosNode, fingerprint: string): void =>
  node.print(`server certificate issued {${controller}, "fingerprint": "${fingerprint}"}`);

const spkiFingerprint = (cert: string): string =>
  createHash("sha256")
    .update(new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" }))
    .digest("base64");
