import { X509Certificate } from "node:crypto";
import {
  k3sCaStages,
  servedAuthority,
  servedBefore,
  type K3sBundle,
  type K3sCaStage,
} from "../../../secrets/index.ts";
import { servedHash, trustFileNames } from "../files/trust.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { k3sPaths } from "../paths.ts";
import { hashIn } from "../steps/node/node-files.ts";
import type { NodeWant } from "../steps/node/node-want.ts";
import { k3sSecretsOutdated } from "./errors.ts";

export const stageNumber = (stage: K3sCaStage): number => k3sCaStages.indexOf(stage) + 1;

/** Where the secrets are; before an exchange begins, nowhere. */
export const stageOfSecrets = ({ rotation }: K3sBundle): number =>
  rotation === undefined ? 0 : stageNumber(rotation.stage);

/**
 * Whether a node is as far as the secrets: it has their authorities, its own certificate is of the new ones, and it knows its
 * servers by what they show now. One that has others than it could have is not touched.
 */
export async function hasReached(
  access: K3sAccess,
  bundle: K3sBundle,
  node: NodeWant,
  signal: AbortSignal,
): Promise<boolean> {
  const isServer = node.role === "server";
  const file = isServer ? `${k3sPaths.trustFolder}/${trustFileNames.server}.crt` : k3sPaths.agentAuthority;
  const [authority, leaf, config] = await access.using(node, (host) =>
    Promise.all([
      host.read(file, signal),
      host.read(isServer ? k3sPaths.serverLeaf : k3sPaths.agentLeaf, signal),
      host.read(k3sPaths.configFile, signal),
    ]),
  );
  const wanted = servedAuthority(bundle, "server");
  if (authority?.trim() !== wanted.trim()) {
    const before = servedBefore(bundle, "server");
    if (authority !== undefined && authority.trim() !== before?.trim())
      throw k3sSecretsOutdated({ ...node, file: access.world.secrets.fileOf(node.cluster) });
    return false;
  }
  return hashIn(config) === servedHash(bundle) && isOf(leaf, servedAuthority(bundle, "client"));
}

/** Whether a certificate was issued by the first one of an authority's file. */
function isOf(leaf: string | undefined, authority: string): boolean {
  if (leaf === undefined) return false;
  const [own, issuer] = [new X509Certificate(leaf), new X509Certificate(authority)];
  return own.checkIssued(issuer) && own.verify(issuer.publicKey);
}
