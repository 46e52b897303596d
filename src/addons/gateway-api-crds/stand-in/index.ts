import type { StandIn } from "../../common/stand-in/index.ts";
import { definition, documents } from "../../../sim/charts/index.ts";

const group = "gateway.networking.k8s.io";

const gatewayKinds: [kind: string, plural: string, versions: string[], isClusterWide?: boolean][] = [
  ["GatewayClass", "gatewayclasses", ["v1"], true],
  ["Gateway", "gateways", ["v1"]],
  ["HTTPRoute", "httproutes", ["v1"]],
  ["GRPCRoute", "grpcroutes", ["v1"]],
  ["TLSRoute", "tlsroutes", ["v1"]],
  ["BackendTLSPolicy", "backendtlspolicies", ["v1"]],
  ["ReferenceGrant", "referencegrants", ["v1", "v1beta1"]],
];

/** The kinds of Gateway API, marked with the release and the channel they are from. */
const gatewayApi = (version: string, channel: string): string =>
  documents(
    ...gatewayKinds.map(([kind, plural, versions, isClusterWide = false]) =>
      definition({
        group,
        kind,
        plural,
        versions,
        isClusterWide,
        annotations: `  annotations:\n    ${group}/bundle-version: ${version}\n    ${group}/channel: ${channel}`,
      }),
    ),
  );

/** What stands in for manifests published as files. Undefined for addresses nobody has written one for. */
export function standInManifest(url: string): string | undefined {
  const found =
    /^https:\/\/github\.com\/kubernetes-sigs\/gateway-api\/releases\/download\/(v[\d.]+)\/(\w+)-install\.yaml$/.exec(
      url,
    );
  return found ? gatewayApi(found[1] ?? "", found[2] ?? "") : undefined;
}

export const standIn: StandIn = { manifest: standInManifest };
