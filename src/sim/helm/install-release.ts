import { splitManifests, type ReleaseRecord, type RenderedObject } from "../../clients/helm/index.ts";
import type { KubeClient, ServedKind } from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { Clock } from "../../lib/index.ts";
import {
  applyObjects,
  checkOwners,
  deleteObjects,
  HelmFailure,
  waitReady,
  type ReleaseWork,
} from "./apply-objects.ts";
import { flagOf, hasFlag, readDuration, type HelmArguments } from "./arguments.ts";
import { runHooks } from "./hooks.ts";
import { loadChart, type LoadedChart } from "./templates/load-chart.ts";
import { releaseStore, type ReleaseStore } from "./release-store.ts";
import { renderChart, type Rendered } from "./templates/render-chart.ts";
import { readValues, writeManifests } from "./values.ts";

/** The cluster one call of helm works on. */
export interface Session {
  kube: KubeClient;
  clock: Clock;
  signal: AbortSignal;
}

const keptRevisions = 10;

/** `helm upgrade --install` */
export async function installRelease(args: HelmArguments, stdin: string, session: Session): Promise<string> {
  const [name = "", place = ""] = args.words;
  const namespace = flagOf(args, "namespace") ?? "default";
  const store = releaseStore(session.kube, () => session.clock.now());
  const history = await store.history(name, namespace);
  const last = history.at(-1);
  if (last?.info.status.startsWith("pending-"))
    throw new HelmFailure("UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress");
  const isInstall = last === undefined || last.info.status === "uninstalled";
  const kinds = await session.kube.kinds(session.signal);
  const chart = await loadChart(place);
  const values = readValues(stdin);
  const revision = (last?.version ?? 0) + 1;
  const rendered = renderChart({
    chart,
    release: { name, namespace, revision, isInstall },
    values,
    kubeVersion: await session.kube.version(session.signal),
    apiVersions: new Set(kinds.flatMap((kind) => [kind.apiVersion, `${kind.apiVersion}/${kind.kind}`])),
  });
  const work: ReleaseWork = {
    ...session,
    name,
    namespace,
    until: session.clock.now() + readDuration(flagOf(args, "timeout")),
    isNamespaced: scopeOf(kinds, rendered),
  };
  if (isInstall && hasFlag(args, "create-namespace")) await makeNamespace(work);
  if (!hasFlag(args, "take-ownership")) await checkOwners(work, rendered.objects);
  const record = newRecord(work, chart, rendered, values, { revision, isInstall });
  await store.create(record, labelsOf(args));
  try {
    await carryOut(args, work, rendered, { isInstall, before: history });
  } catch (error) {
    await end(store, record, "failed", wordsOf(error), session.clock.now());
    throw error instanceof HelmFailure ? new HelmFailure(`${failed(isInstall)}${error.message}`) : error;
  }
  for (const each of history.filter(({ info }) => info.status === "deployed"))
    await end(store, each, "superseded", each.info.description ?? "", session.clock.now());
  await end(
    store,
    record,
    "deployed",
    isInstall ? "Install complete" : "Upgrade complete",
    session.clock.now(),
  );
  for (const each of history.slice(0, Math.max(0, history.length + 1 - keptRevisions)))
    await store.remove(each);
  return JSON.stringify(record);
}

async function carryOut(
  args: HelmArguments,
  work: ReleaseWork,
  rendered: Rendered,
  { isInstall, before }: { isInstall: boolean; before: ReleaseRecord[] },
): Promise<void> {
  const verb = isInstall ? "install" : "upgrade";
  if (isInstall && !hasFlag(args, "skip-crds")) await makeAbsent(work, rendered.crds);
  await runHooks(work, rendered.hooks, `pre-${verb}`);
  await applyObjects(work, rendered.objects, hasFlag(args, "force-conflicts"));
  const deployed = before.findLast(({ info }) => info.status === "deployed") ?? before.at(-1);
  if (!isInstall && deployed) await deleteObjects(work, dropped(deployed, rendered.objects), false);
  if (hasFlag(args, "wait")) await waitReady(work, waitedFor(args, rendered.objects));
  await runHooks(work, rendered.hooks, `post-${verb}`);
}

const waitedFor = (args: HelmArguments, objects: RenderedObject[]): RenderedObject[] =>
  hasFlag(args, "wait-for-jobs") ? objects : objects.filter(({ kind }) => kind !== "Job");

const identity = ({ apiVersion, kind, metadata }: RenderedObject): string =>
  [apiVersion, kind, metadata.namespace ?? "", metadata.name].join(" ");

function dropped(before: ReleaseRecord, now: readonly RenderedObject[]): RenderedObject[] {
  const staying = new Set(now.map(identity));
  return splitManifests(before.manifest).filter((object) => !staying.has(identity(object)));
}

/** Definitions in `crds/` are made once and then left alone. */
async function makeAbsent(work: ReleaseWork, crds: readonly RenderedObject[]): Promise<void> {
  for (const crd of crds) {
    const { apiVersion, kind, metadata } = crd;
    const isThere = await work.kube.get({ apiVersion, kind, name: metadata.name }, work.signal);
    if (!isThere) await work.kube.create(crd, work.signal);
  }
  await waitReady(work, crds);
}

async function makeNamespace(work: ReleaseWork): Promise<void> {
  const metadata = { name: work.namespace, labels: { name: work.namespace } };
  const isThere = await work.kube.get(
    { apiVersion: "v1", kind: "Namespace", name: work.namespace },
    work.signal,
  );
  if (!isThere) await work.kube.create({ apiVersion: "v1", kind: "Namespace", metadata }, work.signal);
}

/** Kinds the chart itself brings are known from their definitions. */
function scopeOf(kinds: ServedKind[], rendered: Rendered): ReleaseWork["isNamespaced"] {
  const clusterWide = new Set(
    kinds.filter((kind) => !kind.isNamespaced).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`),
  );
  for (const { kind, spec } of [...rendered.crds, ...rendered.objects]) {
    if (kind !== "CustomResourceDefinition") continue;
    const defined = spec as {
      group: string;
      scope: string;
      names: { kind: string };
      versions: { name: string }[];
    };
    if (defined.scope !== "Cluster") continue;
    for (const version of defined.versions)
      clusterWide.add(`${defined.group}/${version.name} ${defined.names.kind}`);
  }
  return ({ apiVersion, kind }) => !clusterWide.has(`${apiVersion} ${kind}`);
}

function newRecord(
  work: ReleaseWork,
  chart: LoadedChart,
  rendered: Rendered,
  values: Record<string, unknown>,
  { revision, isInstall }: { revision: number; isInstall: boolean },
): ReleaseRecord {
  const time = new Date(work.clock.now()).toISOString();
  return {
    name: work.name,
    namespace: work.namespace,
    version: revision,
    info: {
      first_deployed: time,
      last_deployed: time,
      deleted: "",
      description: isInstall ? "Initial install underway" : "Preparing upgrade",
      status: isInstall ? "pending-install" : "pending-upgrade",
    },
    chart: {
      metadata: chart.metadata,
      lock: null,
      templates: [],
      values: chart.values,
      schema: null,
      files: null,
    },
    config: values,
    manifest: writeManifests(rendered.objects),
    hooks: rendered.hooks.map((hook) => hookRecord(hook)),
    apply_method: "ssa",
  };
}

/** Helm keeps hooks apart, so that a later removal can still run them. */
const hookRecord = (hook: RenderedObject) => ({
  name: hook.metadata.name,
  kind: hook.kind,
  path: "",
  manifest: writeManifests([hook]),
  events: (hook.metadata.annotations?.["helm.sh/hook"] ?? "").split(",").map((event) => event.trim()),
  weight: Number(hook.metadata.annotations?.["helm.sh/hook-weight"] ?? 0),
  last_run: { started_at: "", completed_at: "", phase: "" },
  delete_policies: (
    hook.metadata.annotations?.["helm.sh/hook-delete-policy"] ?? "before-hook-creation"
  ).split(","),
});

async function end(
  store: ReleaseStore,
  record: ReleaseRecord,
  status: string,
  description: string,
  now: number,
): Promise<void> {
  record.info = {
    ...record.info,
    status,
    description,
    last_deployed: record.info.last_deployed ?? new Date(now).toISOString(),
  };
  await store.update(record);
}

const labelsOf = (args: HelmArguments): Record<string, string> =>
  Object.fromEntries(
    (flagOf(args, "labels") ?? "")
      .split(",")
      .filter((pair) => pair !== "")
      .map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]),
  );

const failed = (isInstall: boolean): string => (isInstall ? "INSTALLATION FAILED: " : "UPGRADE FAILED: ");

const wordsOf = (error: unknown): string =>
  error instanceof SlipwayError ? error.why : error instanceof Error ? error.message : "failed";
