import { issueAdmin, writeKubeconfig, type IssueOptions, type KubeconfigFields } from "../../../pki/index.ts";
import type { K3sBundle } from "../../../secrets/index.ts";

/** Made from the bundle alone, without asking a node. */
export async function kubeconfig(
  fields: KubeconfigFields,
  { authorities }: Pick<K3sBundle, "authorities">,
  options: IssueOptions,
): Promise<string> {
  const admin = await issueAdmin(authorities.client, "system:admin", options);
  return writeKubeconfig(fields, authorities.server.cert, admin);
}
