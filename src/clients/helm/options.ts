import type { CallTrace, Clock, RunProgram } from "../../lib/index.ts";
import type { ChartRef, ChartTrust, LocalChart } from "./chart/chart.ts";
import type { HelmRelease } from "./release.ts";
import type { HelmProgram } from "./program/version.ts";

export interface HelmOptions {
  helm: HelmProgram;
  run: RunProgram;
  clock: Clock;
  /** Where calls are traced. Left out: nowhere. */
  calls?: CallTrace | undefined;
  /** Ours alone: helm's caches, fetched charts, files that live as long as one call. */
  folder: string;
  /** The text of a kubeconfig; needed for all but rendering. Only ever in a file of mode 0600 while helm runs. */
  kubeconfig?: string | undefined;
  /** Makes the server of a kubeconfig reachable for the program, for the time of one call. Left out: it is. */
  reach?: ((kubeconfig: string) => Promise<{ kubeconfig: string; close(): Promise<void> }>) | undefined;
  trust?: ChartTrust;
  /** What helm says meanwhile. Its stdout is not told: it may hold values. */
  onLine?: ((line: string) => void) | undefined;
}

/** A release as it should be. */
export interface ReleaseWant {
  name: string;
  namespace: string;
  chart: ChartRef;
  /** All values; what the release had before is forgotten. Given to helm through its stdin. */
  values: Record<string, unknown>;
  /** Texts among the values that no message may quote; values under keys such as "password" are hidden anyway. */
  secrets?: readonly string[];
  /** On the Secret that holds the release: `{"slipway.dev/addon": "cilium"}`. */
  labels?: Record<string, string>;
  /** How long helm waits for any single thing. */
  timeoutMs: number;
  /** `ready` (the default): until all objects are; `hooks`: only until its hooks have run. */
  waitFor?: "ready" | "hooks";
  /** Jobs too must have ended. */
  isWaitingForJobs?: boolean;
  /** Objects that exist already become part of the release, and fields others own are taken. */
  isTakingOver?: boolean;
  /** Only fields others own are taken (Helm 4; Helm 3 never asks). */
  isForced?: boolean;
  /** A namespace made by helm has no labels: make it first where Pod Security needs them. */
  isCreatingNamespace?: boolean;
  isSkippingCrds?: boolean;
}

/** A rendering without a cluster. */
export interface RenderWant {
  name: string;
  namespace: string;
  chart: ChartRef;
  values: Record<string, unknown>;
  /** `1.36.3` */
  kubeVersion: string;
  /** What the cluster will serve besides: `group/version` and `group/version/Kind`. */
  apiVersions?: string[];
  /** The objects of `crds/` too; true when not given. */
  hasCrds?: boolean;
}

export interface ReleaseRef {
  name: string;
  namespace: string;
}

export interface HelmClient {
  readonly version: HelmProgram["version"];
  /** Fetches a chart once; later calls find it without a network. */
  fetchChart(chart: ChartRef, signal: AbortSignal): Promise<LocalChart>;
  /** Installs or upgrades to the end: returns when it is deployed. */
  upgradeInstall(want: ReleaseWant, signal: AbortSignal): Promise<HelmRelease>;
  /** All manifests as one text, hooks among them. */
  template(want: RenderWant, signal: AbortSignal): Promise<string>;
  /** False when there was none. */
  uninstall(
    release: ReleaseRef & { timeoutMs: number; hasHooks?: boolean },
    signal: AbortSignal,
  ): Promise<boolean>;
  /** The last revision of each release, of one namespace or of all, in whatever state. */
  list(query: { namespace?: string; labels?: string }, signal: AbortSignal): Promise<HelmRelease[]>;
  /** The last revision, undefined when there is no such release. */
  status(release: ReleaseRef, signal: AbortSignal): Promise<HelmRelease | undefined>;
  /** Oldest first; empty when there is no such release. */
  history(release: ReleaseRef, signal: AbortSignal): Promise<HelmRelease[]>;
}
