import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { addons as allAddons } from "../../../src/addons/index.ts";
import { addonsIn, type Addons, type AddonWorld } from "../../../src/addons/steps/index.ts";
import type { AddonWant } from "../../../src/addons/steps/addon-want.ts";
import { connectHelm, type HelmVersion } from "../../../src/clients/helm/index.ts";
import type { KubeClient } from "../../../src/clients/kube/index.ts";
import { runPlan, type RunResult } from "../../../src/engine/index.ts";
import { CallTrace, realClock, realRandom } from "../../../src/lib/index.ts";
import {
  comparePlan,
  compareRemoval,
  type EventBody,
  type Graph,
  type Plan,
} from "../../../src/plan/index.ts";
import { runProgramWith } from "../../../src/world/run-program.ts";
import { standInManifest } from "./stand-ins.ts";
import { startChartSite, type SimChart } from "../../../src/sim/charts/index.ts";
import { faultBox, loopbackNetwork } from "../../../src/sim/index.ts";
import type { Addon, ChartSource, Cluster } from "../../../src/spec/index.ts";
import type { StartCluster } from "./clusters.ts";
import { watchedHelm, type HelmRun } from "./watched-helm.ts";

export interface AddonsLabOptions {
  /** An address of its own in 127.0.0.0/8, so that labs do not meet. */
  host: string;
  start: StartCluster;
  helm: { command: string; version: HelmVersion };
  charts: readonly SimChart[];
  nodes: readonly string[];
  /** What every reference to a secret stands for. */
  secret: string;
}

/** Our add-ons with the real helm, before a cluster of choice. */
export interface AddonsLab extends AsyncDisposable {
  folder: string;
  kube: KubeClient;
  kubeconfig: string;
  addons: Addons;
  helmRuns: HelmRun[];
  helmFolder: string;
  /** The add-ons with charts from the lab's own site. */
  withOwnCharts(cluster: Cluster): Promise<Cluster>;
  plan(cluster: Cluster): Promise<Plan>;
  planRemoval(cluster: Cluster): Promise<Plan>;
  run(plan: Plan): Promise<{ result: RunResult; events: EventBody[] }>;
}

const never = new AbortController().signal;
const ctx = { signal: never, clock: realClock, log: () => {} };
const apiStep = "lab/api";

export async function addonsLab(options: AddonsLabOptions): Promise<AddonsLab> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-addons-"));
  const site = await startChartSite({
    ...{ network: loopbackNetwork(), host: options.host, port: 8443, clock: realClock },
    ...{ random: realRandom, faults: faultBox(), charts: options.charts },
  });
  const caFile = path.join(folder, "charts-ca.pem");
  await writeFile(caFile, site.ca);
  const cluster = await options.start(options.host, options.nodes);
  const { kube, kubeconfig } = cluster;

  const helmRuns: HelmRun[] = [];
  const helmFolder = path.join(folder, "helm");
  const world: AddonWorld = {
    openKube: async () => kube,
    openHelm: async (forCluster) =>
      connectHelm({
        clock: realClock,
        helm: options.helm,
        run: watchedHelm(runProgramWith(process.env), helmRuns),
        folder: helmFolder,
        trust: { caFile },
        ...(forCluster && { kubeconfig }),
      }),
    renderFolder: path.join(folder, "rendered"),
    resolveSecret: async () => options.secret,
    madeSecret: async () => `clusters: [{ token_secret: ${options.secret} }]`,
    fetchText: async (url) => standInManifest(url) ?? "",
    readText: (file) => readFile(file, "utf8"),
  };
  const addons = addonsIn(world, allAddons);
  const kinds = new Map(addons.resources.map((resource) => [resource.kind, resource]));

  return {
    ...{ folder, kube, kubeconfig, addons, helmRuns, helmFolder },
    async withOwnCharts(of) {
      const usual = usualCharts(await addons.describe(of, apiStep));
      const mirrored = (chart: ChartSource): ChartSource => {
        if ("path" in chart) return chart;
        const at = site.mirrored("oci" in chart ? chart : { repo: chart.repository, chart: chart.name });
        return "oci" in at ? at : { repository: at.repo, name: at.chart };
      };
      const own = (addon: Addon): Addon => {
        const chart = usual.get(addon.id);
        return chart ? { ...addon, chart: mirrored(chart) } : addon;
      };
      return { ...of, addons: of.addons.map(own) };
    },
    plan: async (of) => comparePlan(standing(await addons.describe(of, apiStep)), kinds, ctx),
    planRemoval: async (of) => compareRemoval(await addons.describeLeftovers(ctx, of), kinds, ctx),
    async run(plan) {
      const events: EventBody[] = [];
      const tell = (event: EventBody) => void events.push(event);
      // What does not come to an end is told by its test, before the test itself is over.
      const stop = AbortSignal.timeout(90_000);
      const result = await runPlan(plan, kinds, {
        clock: realClock,
        calls: new CallTrace(),
        stop,
        graceMs: 1_000,
        tell,
      });
      return { result, events };
    },
    async [Symbol.asyncDispose]() {
      await cluster.stop();
      await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The cluster they are in is there, though no step of these plans. */
const standing = (graph: Graph): Graph => graph.map(({ within: _api, ...node }) => node);

const usualCharts = (graph: Graph): Map<string, ChartSource> =>
  new Map(
    graph.flatMap((node) => {
      const { addon, parts } = node.want as AddonWant;
      return parts.flatMap((part) => (part.kind === "release" ? [[addon.id, part.chart] as const] : []));
    }),
  );
