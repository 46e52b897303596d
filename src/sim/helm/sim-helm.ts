import { splitManifests, type ReleaseRecord } from "../../clients/helm/index.ts";
import { runHooks } from "./hooks.ts";
import { releaseStore } from "./release-store.ts";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { connectKube } from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { Clock, Dial, ProgramOptions, ProgramOutcome, RunProgram } from "../../lib/index.ts";
import { chartsAt, packChart, type ChartPlace, type SimChart } from "../charts/index.ts";
import { HelmFailure, deleteObjects, type ReleaseWork } from "./apply-objects.ts";
import { flagOf, hasFlag, readArguments, type HelmArguments, readDuration } from "./arguments.ts";
import { installRelease, type Session } from "./install-release.ts";
import { listReleases, tellHistory } from "./list-releases.ts";
import { loadChart } from "./templates/load-chart.ts";
import { renderChart } from "./templates/render-chart.ts";
import { TemplateError } from "./templates/template-tree.ts";
import { readValues, writeManifests } from "./values.ts";

export interface SimHelmOptions {
  clock: Clock;
  /** The way to the cluster its kubeconfig names. */
  dial: Dial;
  /** What the world's chart servers have. */
  charts: readonly SimChart[];
}

/** The helm this pretends to be. */
export const simHelmProgram = { command: "helm", version: { major: 4, minor: 2, patch: 4 } };
const { major, minor, patch } = simHelmProgram.version;

/**
 * A stand-in for the helm program, for rehearsals on machines that have none: the commands our client issues, on
 * stand-in charts, with helm's own words, Secrets, marks and field manager. Checked against the real one by tests.
 */
export function simHelm(options: SimHelmOptions): RunProgram {
  return async (_command, args, run) => {
    const parsed = readArguments(args);
    try {
      return { code: 0, stdout: await runCommand(parsed, options, run), stderr: "" };
    } catch (error) {
      run.signal.throwIfAborted();
      return failure(error, run);
    }
  };
}

async function runCommand(
  args: HelmArguments,
  options: SimHelmOptions,
  run: ProgramOptions,
): Promise<string> {
  if (args.command === "version") return `v${major}.${minor}.${patch}`;
  if (args.command === "pull") return pull(args, options.charts);
  if (args.command === "template") return template(args, run);
  const kubeconfig = await readFile(run.env?.["KUBECONFIG"] ?? "", "utf8");
  const kube = connectKube({ kubeconfig, dial: options.dial, clock: options.clock });
  const session = { kube, clock: options.clock, signal: run.signal };
  try {
    if (args.command === "upgrade") return await installRelease(args, String(run.stdin ?? ""), session);
    if (args.command === "uninstall") return await uninstallRelease(args, session);
    if (args.command === "list") return await listReleases(args, session);
    if (args.command === "history") return await tellHistory(args, session);
  } finally {
    kube.close();
  }
  throw new HelmFailure(`unknown command "${args.command}" for "helm"`);
}

async function pull(args: HelmArguments, charts: readonly SimChart[]): Promise<string> {
  const [word = ""] = args.words;
  const repo = flagOf(args, "repo");
  const version = flagOf(args, "version") ?? "";
  const place: ChartPlace = repo === undefined ? { oci: word } : { repo, chart: word };
  const chart = chartsAt(charts, place).find((each) => each.version === version);
  if (!chart)
    throw new HelmFailure(
      repo === undefined
        ? `failed to perform "FetchReference" on source: ${word.replace("oci://", "")}:${version}: not found`
        : `chart "${word}" version "${version}" not found in ${repo} repository`,
    );
  await writeFile(
    path.join(flagOf(args, "destination") ?? ".", `${chart.name}-${version}.tgz`),
    packChart(chart),
  );
  return "";
}

async function template(args: HelmArguments, run: ProgramOptions): Promise<string> {
  const [name = "", place = ""] = args.words;
  const version = flagOf(args, "kube-version") ?? "1.36.0";
  const { objects, hooks, crds } = renderChart({
    chart: await loadChart(place),
    release: { name, namespace: flagOf(args, "namespace") ?? "default", revision: 1, isInstall: true },
    values: readValues(String(run.stdin ?? "")),
    kubeVersion: version.startsWith("v") ? version : `v${version}`,
    apiVersions: new Set(args.flags.get("api-versions") ?? []),
  });
  return writeManifests([...(hasFlag(args, "include-crds") ? crds : []), ...objects, ...hooks]);
}

function failure(error: unknown, run: ProgramOptions): ProgramOutcome {
  const stderr = `Error: ${wordsOf(error)}\n`;
  for (const line of stderr.trimEnd().split("\n")) run.onLine?.("stderr", line);
  return { code: 1, stdout: "", stderr };
}

function wordsOf(error: unknown): string {
  if (error instanceof HelmFailure || error instanceof TemplateError) return error.message;
  if (!(error instanceof SlipwayError)) throw error;
  return /^KUBE_(UNREACHABLE|TIMEOUT)$/.test(error.code)
    ? `kubernetes cluster unreachable: ${error.why}`
    : error.why;
}

/** `helm uninstall` */
async function uninstallRelease(args: HelmArguments, session: Session): Promise<string> {
  const [name = ""] = args.words;
  const namespace = flagOf(args, "namespace") ?? "default";
  const store = releaseStore(session.kube, () => session.clock.now());
  const history = await store.history(name, namespace);
  const last = history.at(-1);
  if (!last) return `release "${name}" uninstalled\n`;
  const kinds = await session.kube.kinds(session.signal);
  const work: ReleaseWork = {
    ...session,
    name,
    namespace,
    until: session.clock.now() + readDuration(flagOf(args, "timeout")),
    isNamespaced: ({ apiVersion, kind }) =>
      kinds.find((each) => each.apiVersion === apiVersion && each.kind === kind)?.isNamespaced ?? true,
  };
  last.info = { ...last.info, status: "uninstalling", deleted: new Date(session.clock.now()).toISOString() };
  await store.update(last);
  const hooks = hasFlag(args, "no-hooks") ? [] : hooksOf(last);
  await runHooks(work, hooks, "pre-delete");
  await deleteObjects(work, splitManifests(last.manifest), hasFlag(args, "wait"));
  await runHooks(work, hooks, "post-delete");
  for (const record of history) await store.remove(record);
  return `release "${name}" uninstalled\n`;
}

const hooksOf = (record: ReleaseRecord) =>
  ((record["hooks"] ?? []) as { manifest: string }[]).flatMap(({ manifest }) => splitManifests(manifest));
