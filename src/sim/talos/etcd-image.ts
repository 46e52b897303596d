import type { TalosNode } from "./node.ts";

const image = "registry.k8s.io/etcd:v3.6.12";
const retryMs = 5_000;
/** A registry that says it does not have the image is asked this often again; one that does not answer, for longer. */
const notFoundRetries = 5;

/**
 * Before etcd does anything, its image is fetched. While that fails, the service prepares and only the log tells why; in the
 * end it fails, and begins again when Bootstrap is called.
 */
export async function fetchEtcdImage(node: TalosNode, signal: AbortSignal): Promise<void> {
  for (;;) {
    const trouble = await pullWithRetries(node, signal);
    if (trouble === undefined) {
      node.images.system.set(image, node.world.clock.now());
      return;
    }
    const why = `failed to pull image "${image}": 1 error(s) occurred:\n\t${trouble}`;
    node.services.set("etcd", "Failed", `Failed to run pre stage: ${why}`);
    const { founding, cluster } = node;
    await cluster?.signals.until(() => node.founding !== founding, signal);
  }
}

/** Why it was given up; undefined when the image came. */
async function pullWithRetries(node: TalosNode, signal: AbortSignal): Promise<string | undefined> {
  const { faults, clock } = node.world;
  for (let retry = 0; ; retry += 1) {
    const fault = faults.cluster.find("image-pull", { image, node: node.hostname() });
    if (fault === undefined) return undefined;
    const why = fault.message ?? `failed to resolve reference "${image}": ${image}: not found`;
    const trouble = `failed to pull image "${image}": ${why}`;
    if (fault.message === undefined && retry === notFoundRetries) return trouble;
    node.log(`[talos] retrying error: ${trouble}`);
    await clock.sleep(retryMs * 2 ** Math.min(retry, 6), signal);
  }
}
