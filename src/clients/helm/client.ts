import path from "node:path";
import { stringify } from "yaml";
import { callHelm, type HelmCall } from "./call.ts";
import { fetchChart } from "./chart/fetch-chart.ts";
import { helmFailed } from "./errors.ts";
import { secretTexts } from "./redact-values.ts";
import type { HelmClient, HelmOptions, ReleaseRef, ReleaseWant, RenderWant } from "./options.ts";
import { readReleases, type HelmRelease, type ReleaseStatus } from "./release.ts";

const readLimitMs = 60_000;
const renderLimitMs = 60_000;
// Helm waits this long for each single thing, of which there may be several: hooks, CRDs, the objects.
const graceMs = 60_000;

/** Helm for one cluster. Nothing is run before the first call. */
export function connectHelm(given: HelmOptions): HelmClient {
  // Helm runs in a folder of its own, where `.slipway` would be another place.
  const options = { ...given, folder: path.resolve(given.folder) };
  const { major } = options.helm.version;
  const call = (wanted: HelmCall, signal: AbortSignal) => callHelm(options, wanted, signal);

  async function history(release: ReleaseRef, signal: AbortSignal): Promise<HelmRelease[]> {
    const { name, namespace } = release;
    const text = await call(
      {
        args: ["history", name, "--namespace", namespace, "--output", "json", "--max", "256"],
        tried: { what: `read release "${name}"`, release },
        hasCluster: true,
        limitMs: readLimitMs,
        isAnswer: ({ stderr }) => /release: not found/.test(stderr),
      },
      signal,
    );
    return text.trim() === "" ? [] : readReleases(text, { name, namespace });
  }

  return {
    version: options.helm.version,
    fetchChart: (chart, signal) => fetchChart(options, chart, signal),
    history,
    status: async (release, signal) => (await history(release, signal)).at(-1),
    async list({ namespace, labels }, signal) {
      const where = namespace === undefined ? ["--all-namespaces"] : ["--namespace", namespace];
      const text = await call(
        {
          args: [
            ...["list", ...where, "--output", "json", "--max", "0"],
            // Helm 4 lists all states by itself and knows the word no more.
            ...(major === 3 ? ["--all"] : []),
            ...(labels === undefined ? [] : ["--selector", labels]),
          ],
          tried: { what: "list releases" },
          hasCluster: true,
          limitMs: readLimitMs,
        },
        signal,
      );
      return readReleases(text);
    },
    async upgradeInstall(want, signal) {
      const chart = await fetchChart(options, want.chart, signal);
      const text = await call(
        {
          args: upgradeArguments(want, chart.path, major),
          stdin: valuesText(want.values),
          tried: { what: `install release "${want.name}"`, release: want, chart: want.chart },
          hasCluster: true,
          limitMs: 3 * want.timeoutMs + graceMs,
          secrets: secretTexts(want.values, want.secrets),
        },
        signal,
      );
      return readUpgraded(text, want);
    },
    async template(want, signal) {
      const chart = await fetchChart(options, want.chart, signal);
      return call(
        {
          args: templateArguments(want, chart.path),
          stdin: valuesText(want.values),
          tried: { what: `render release "${want.name}"`, release: want, chart: want.chart },
          limitMs: renderLimitMs,
          secrets: secretTexts(want.values),
        },
        signal,
      );
    },
    async uninstall({ name, namespace, timeoutMs, hasHooks = true }, signal) {
      const before = await history({ name, namespace }, signal);
      if (before.length === 0) return false;
      await call(
        {
          args: [
            ...["uninstall", name, "--namespace", namespace, "--ignore-not-found"],
            ...["--timeout", seconds(timeoutMs), "--wait"],
            ...(hasHooks ? [] : ["--no-hooks"]),
          ],
          tried: { what: `remove release "${name}"`, release: { name, namespace } },
          hasCluster: true,
          limitMs: 3 * timeoutMs + graceMs,
        },
        signal,
      );
      return true;
    },
  };
}

function upgradeArguments(want: ReleaseWant, chart: string, major: number): string[] {
  const labels = Object.entries(want.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const isReady = (want.waitFor ?? "ready") === "ready";
  return [
    ...["upgrade", want.name, chart, "--install", "--namespace", want.namespace],
    // Without --reset-values an empty set of values would mean "those of before".
    ...["--values", "-", "--reset-values", "--output", "json"],
    ...["--timeout", seconds(want.timeoutMs), "--history-max", "10"],
    ...(labels.length > 0 ? ["--labels", labels.join(",")] : []),
    ...(isReady ? ["--wait"] : []),
    ...(want.isWaitingForJobs ? ["--wait-for-jobs"] : []),
    ...(want.isTakingOver ? ["--take-ownership"] : []),
    // Helm 3 merges by itself and never meets an owner of fields.
    ...((want.isTakingOver || want.isForced) && major >= 4 ? ["--force-conflicts"] : []),
    ...(want.isCreatingNamespace ? ["--create-namespace"] : []),
    ...(want.isSkippingCrds ? ["--skip-crds"] : []),
  ];
}

const templateArguments = (want: RenderWant, chart: string): string[] => [
  ...["template", want.name, chart, "--namespace", want.namespace, "--values", "-"],
  ...["--kube-version", want.kubeVersion],
  ...(want.apiVersions ?? []).flatMap((each) => ["--api-versions", each]),
  ...((want.hasCrds ?? true) ? ["--include-crds"] : []),
];

const seconds = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1000))}s`;

/** YAML 1.1 is what helm reads: there `on` would be true. */
const valuesText = (values: Record<string, unknown>): string => stringify(values, { version: "1.1" });

interface UpgradeOutput {
  version: number;
  info: { status: string; last_deployed?: string; description?: string };
  chart: { metadata: { name: string; version: string; appVersion?: string } };
}

function readUpgraded(text: string, want: ReleaseWant): HelmRelease {
  let output: UpgradeOutput;
  try {
    output = JSON.parse(text) as UpgradeOutput;
  } catch {
    throw helmFailed({ what: `install release "${want.name}"`, why: "helm did not say what it has done" });
  }
  const { metadata } = output.chart;
  return {
    name: want.name,
    namespace: want.namespace,
    revision: output.version,
    status: output.info.status as ReleaseStatus,
    chart: metadata.name,
    version: metadata.version,
    appVersion: metadata.appVersion ?? "",
    updatedAt: Date.parse(output.info.last_deployed ?? "") || 0,
    description: output.info.description,
  };
}
