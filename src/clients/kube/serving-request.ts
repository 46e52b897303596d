import type { KubeSigningRequest } from "./kinds/cluster.ts";

/** What stands in the certificate request itself, read by whoever can read such things. */
export interface RequestContents {
  commonName: string;
  organizations: string[];
  /** Alternative names: host names, addresses, and what is neither (mail, URI). */
  names: string[];
  addresses: string[];
  others: string[];
}

/** A node that may have a serving certificate, and for what. */
export interface ServingNode {
  name: string;
  addresses: string[];
  /** Host names besides its own. */
  names?: string[];
}

export const servingSigner = "kubernetes.io/kubelet-serving";
const userPrefix = "system:node:";
const usagesAllowed = ["digital signature,server auth", "digital signature,key encipherment,server auth"];

/** Nobody has decided about it yet, and no signer has given up on it. */
export const isPending = (request: KubeSigningRequest): boolean =>
  (request.status?.conditions ?? []).length === 0 && request.status?.certificate === undefined;

/** The node that asks, by the name the API server knows it under; undefined when it is no node's request. */
export const askingNode = ({ spec }: KubeSigningRequest): string | undefined =>
  spec.signerName === servingSigner && spec.username?.startsWith(userPrefix)
    ? spec.username.slice(userPrefix.length)
    : undefined;

/**
 * Why a kubelet's request for a serving certificate must not be approved; undefined when it may. Everything a node
 * could gain by lying is compared with what we know of it: its name, its addresses, what the certificate is good for.
 */
export function servingObjection(
  request: KubeSigningRequest,
  contents: RequestContents | undefined,
  nodes: ServingNode[],
): string | undefined {
  const name = askingNode(request);
  if (name === undefined) return "it is not a node that asks for its own serving certificate";
  const node = nodes.find((known) => known.name === name);
  if (!node) return `node "${name}" is not known`;
  const usages = (request.spec.usages ?? []).toSorted().join(",");
  if (!usagesAllowed.includes(usages)) return `it asks for the usages ${usages || "none"}`;
  if (!contents) return "its certificate request cannot be read or is not signed with its own key";
  if (contents.commonName !== `${userPrefix}${name}`) return `it asks for the name "${contents.commonName}"`;
  if (contents.organizations.join() !== "system:nodes")
    return `it asks for the organisation "${contents.organizations.join(", ")}"`;
  if (contents.others.length > 0) return `it asks for ${contents.others.join(", ")}`;
  if (contents.names.length + contents.addresses.length === 0)
    return "it names neither a host nor an address";
  const names = new Set([node.name, ...(node.names ?? [])]);
  const strangers = [
    ...contents.names.filter((asked) => !names.has(asked)),
    ...contents.addresses.filter((asked) => !node.addresses.includes(asked)),
  ];
  return strangers.length > 0 ? `it asks for ${strangers.join(", ")}, which is not its own` : undefined;
}
