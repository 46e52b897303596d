import { X509Certificate } from "node:crypto";
import type { K3sBundle } from "./k3s-bundle.ts";
import { parseK3sBundle, writeK3sBundle } from "./k3s-bundle-file.ts";
import { certificateBlocks } from "./k3s-ca-rotation.ts";

/**
 * A bundle from what a server has on its disk; `from` is named where something is wrong with it. The keys of the root and of
 * the intermediate are on no server and stay lost: nothing but a new set of authorities, which has its own, would need them.
 * Undefined where the authorities stand below no root: such are not made here.
 */
export function k3sBundleFromServer(
  found: Pick<K3sBundle, "token" | "agentToken" | "authorities" | "serviceKey">,
  from: string,
): K3sBundle | undefined {
  const [, intermediate = "", ...above] = certificateBlocks(found.authorities.server.cert);
  const root = above.findLast((block) => {
    const one = new X509Certificate(block);
    return one.subject === one.issuer;
  });
  if (root === undefined) return undefined;
  const bundle = { ...found, root: { cert: root }, intermediate: { cert: intermediate } };
  return parseK3sBundle(writeK3sBundle(bundle), from);
}
