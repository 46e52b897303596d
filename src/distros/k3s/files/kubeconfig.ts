import { issueAdmin, writeKubeconfig, type IssueOptions, type KubeconfigFields } from "../../../pki/index.ts";
import { servedAuthority, trustedAuthority, type K3sBundle } from "../../../secrets/index.ts";

/** Made from the bundle alone, without asking a node. */
export async function kubeconfig(
  fields: KubeconfigFields,
  bundle: K3sBundle,
  options: IssueOptions,
): Promise<string> {
  const { cert, key } = await issueAdmin(bundle.authorities.client, "system:admin", options);
  // A server that has not heard of a new authority is led to it from the old one.
  const chain = bundle.rotation ? servedAuthority(bundle, "client") : "";
  return writeKubeconfig(fields, trustedAuthority(bundle, "server"), { cert: cert + chain, key });
}
