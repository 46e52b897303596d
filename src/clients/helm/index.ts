/**
 * Drives the helm program: finds or fetches it, renders charts without a cluster, installs, upgrades and removes
 * releases, and reads what it has stored. Values go through stdin, the kubeconfig through a private file.
 */
export { connectHelm } from "./client.ts";
export type { HelmClient, HelmOptions, ReleaseRef, ReleaseWant, RenderWant } from "./options.ts";
export {
  ensureHelm,
  findHelm,
  type EnsureOptions,
  type FindOptions,
  pinnedHelm,
  type HelmDownload,
} from "./program/find-helm.ts";
export type { HelmProgram, HelmVersion } from "./program/version.ts";
export {
  chartText,
  type ChartRef,
  type ChartSource,
  type ChartTrust,
  type LocalChart,
} from "./chart/chart.ts";
export { isPending, releaseSecretName, type HelmRelease, type ReleaseStatus } from "./release.ts";
export {
  decodeRelease,
  packRelease,
  unpackRelease,
  type ReleaseRecord,
  type StoredRelease,
} from "./decode-release.ts";
export {
  digestManifests,
  hideSecrets,
  isHook,
  splitManifests,
  type RenderedObject,
} from "./chart/manifests.ts";
export { recoverRelease, type Recovery } from "./recover.ts";
export { keptRendering, renderCached, type RenderKey, type Rendering } from "./chart/render-cache.ts";
