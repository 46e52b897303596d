import type { WrittenCluster } from "../schema/cluster.ts";
import { completeGuests } from "./guests.ts";
import { completeRegistry } from "./talos.ts";
import { given, unlessEmpty } from "../../lib/index.ts";
import type { K3sArtifacts, K3sDistribution, K3sSettings } from "../model/k3s.ts";
import type { WrittenK3s } from "../schema/k3s.ts";
import type { LocatedDocument } from "../source/located-document.ts";
import type { Path } from "../source/positions.ts";

export function completeK3s(
  written: WrittenK3s,
  image: WrittenCluster["image"],
  document: LocatedDocument,
  path: Path,
): K3sDistribution {
  return {
    kind: "k3s",
    version: written.version,
    ...completeGuests(written, image, document, path),
    ...given({
      artifacts: written.artifacts && artifactsOf(written.artifacts),
      hasImages: written.images ? (true as const) : undefined,
    }),
    settings: settingsOf(written),
  };
}

const artifactsOf = ({ url, folder }: NonNullable<WrittenK3s["artifacts"]>): K3sArtifacts | undefined =>
  folder === undefined ? (url === undefined ? undefined : { url }) : { folder };

const settingsOf = (written: WrittenK3s): K3sSettings => ({
  disable: [...new Set(written.disable)],
  flannel: written.flannel,
  encryption: written.encryption,
  ...given({
    embeddedRegistry: written.embeddedRegistry || undefined,
    registries:
      written.registries &&
      Object.fromEntries(
        Object.entries(written.registries).map(([host, one]) => [host, completeRegistry(one)]),
      ),
    snapshots: written.snapshots && given(written.snapshots),
    certSANs: unlessEmpty(written.certSANs && [...new Set(written.certSANs)]),
  }),
  serverFlags: written.serverFlags,
  agentFlags: written.agentFlags,
});
