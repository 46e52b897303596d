import {
  issueAdmin,
  toTalosKey,
  writeKubeconfig,
  type Identity,
  type IssueOptions,
  type KubeconfigFields,
} from "../../../../pki/index.ts";
import { trusted, type Bundle } from "../../../../secrets/index.ts";

/** The administrator of the Kubernetes API, with its key as Talos writes it. */
export async function issueKubernetesAdmin(
  { kubernetes }: Pick<Bundle, "kubernetes">,
  options: IssueOptions,
): Promise<Identity> {
  const admin = await issueAdmin(kubernetes, "admin", options);
  return { ...admin, key: toTalosKey(admin.key) };
}

/** The file `kubectl` reads, for the administrator. Made from the bundle alone, without asking a node. */
export const kubeconfig = async (
  fields: KubeconfigFields,
  bundle: Pick<Bundle, "kubernetes" | "rotation">,
  options: IssueOptions,
): Promise<string> =>
  writeKubeconfig(fields, trusted(bundle, "kubernetes"), await issueKubernetesAdmin(bundle, options));
