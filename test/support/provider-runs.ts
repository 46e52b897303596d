import { runPlan } from "../../src/engine/index.ts";
import { CallTrace, type Clock } from "../../src/lib/index.ts";
import {
  comparePlan,
  compareRemoval,
  placeNodes,
  type EventBody,
  type GraphNode,
  type OwnedMachine,
  type Plan,
  type Provider,
  type Survey,
} from "../../src/plan/index.ts";
import type { ContractSite, RunReport } from "./provider-contract.ts";
import type { Host } from "../../src/spec/index.ts";
import { siteNeeds } from "./proxmox/site.ts";

type Runs = Pick<
  ContractSite,
  "survey" | "plan" | "removal" | "preflight" | "run" | "findLeftovers" | "cutAfter"
>;

export interface RunsOptions<H extends Host, C extends object> {
  host: H;
  client: C;
  /** Names of the client's calls that change something. */
  changing: RegExp;
  /** A session that knows nothing yet, on a connection that can be cut. */
  provider(client: C, hosts: H[]): Provider<H>;
  clock: Clock;
  /** What steps log. */
  told?: string[];
  /** Names of all calls, as they are made. */
  calls?: string[];
}

/** Runs of a provider through the engine, each with one that knows only what the host tells. */
export function providerRuns<H extends Host, C extends object>(options: RunsOptions<H, C>): Runs {
  const { host, clock, told = [], calls = [] } = options;
  const cut = cuttable(options.client, options.changing, calls);
  const parts = (hosts: H[]) => {
    const provider = options.provider(cut.client, hosts);
    return { provider, kinds: new Map(provider.resources.map((known) => [known.kind, known])) };
  };
  let last = parts([host]);
  let removed: GraphNode[] = [];
  const ctx = { signal: new AbortController().signal, clock, log: () => {} };
  const seen = ({ own }: Survey) => ({ ...ctx, ...(own && { seen: own }) });
  const surveyAgain = (hosts: H[]) => {
    last = parts(hosts);
    return last.provider.survey(ctx, hosts);
  };

  return {
    survey: (hosts = [host]) => parts(hosts as H[]).provider.survey(ctx, hosts as H[]),

    async plan(cluster) {
      const survey = await surveyAgain([host]);
      const ids = last.provider.machineIds?.(survey, [cluster]) ?? { forNode: () => undefined };
      const placed = placeNodes([cluster], [host], survey, ids).get(cluster.name) ?? [];
      const here = placed.map((each) => ({ ...each, host }));
      const graph = last.provider.describe(cluster, here, siteNeeds(survey));
      return comparePlan(graph, last.kinds, seen(survey));
    },

    async removal(cluster, { losesData = false, node, staying = [] } = {}) {
      const survey = await surveyAgain([host]);
      const isRemovalTarget = (owned: OwnedMachine) =>
        owned.cluster === cluster.name && (node === undefined || owned.node === node);
      const removalScope = { losesData, clusters: [cluster.name], areLeftovers: node === undefined };
      const kept = last.provider.imagesOf(node === undefined ? staying : [cluster]);
      const graph = last.provider.describeLeftovers(survey, isRemovalTarget, new Set(kept), removalScope);
      removed = graph;
      return compareRemoval(graph, last.kinds, seen(survey));
    },

    async preflight(cluster, on = host) {
      const survey = await surveyAgain([on as H]);
      const placed = cluster.nodes.map((node) => ({ node, host: on as H, id: node.vmid ?? 0 }));
      const checks = last.provider.preflight({ ...cluster, on: [on.name] }, placed, survey);
      return Promise.all(checks.map((check) => check.run(ctx)));
    },

    async run(plan) {
      const stop = new AbortController();
      cut.onStop(() => stop.abort(new Error("stopped")));
      const events: EventBody[] = [];
      const tell = (event: EventBody) => {
        events.push(event);
        if (event.type === "log") told.push(event.text);
      };
      const { failed, stopped } = await runPlan(plan, last.kinds, {
        clock,
        calls: new CallTrace(),
        stop: stop.signal,
        graceMs: 0,
        tell,
      });
      return { failed, stopped, order: orderOf(plan, events) };
    },

    findLeftovers: () => last.provider.findLeftovers(ctx, [host], removed),
    cutAfter: cut.after,
  };
}

function orderOf(plan: Plan, events: EventBody[]): RunReport["order"] {
  const nodes = new Map(plan.changes.flatMap(({ node }) => (node.node ? [[node.id, node.node]] : [])));
  return events.flatMap((event) => {
    if (event.type !== "started" && event.type !== "finished") return [];
    const node = nodes.get(event.step);
    return node === undefined ? [] : [`${event.type} ${node}`];
  });
}

/** A client whose connection breaks, or whose run is stopped, behind a number of calls that change something. */
function cuttable<C extends object>(client: C, changing: RegExp, calls: string[]) {
  let left: number | undefined;
  let how: "broken" | "stopped" = "broken";
  let stop = () => {};
  const wrapped = Object.entries(client).map(([name, call]: [string, (...args: never[]) => unknown]) => {
    const isChanging = changing.test(name);
    const cuttableCall = async (...args: never[]) => {
      if (left === 0 && how === "broken") throw new Error("the connection is cut");
      calls.push(name);
      const answer = await call(...args);
      if (left !== undefined && left > 0 && isChanging) left -= 1;
      if (left === 0 && how === "stopped") stop();
      return answer;
    };
    // What is no promise must stay none.
    return [name, /^(task|close)$/.test(name) ? call : cuttableCall];
  });
  return {
    client: Object.fromEntries(wrapped) as C,
    after(count: number | undefined, way: "broken" | "stopped" = "broken") {
      left = count;
      how = way;
    },
    onStop(then: () => void) {
      stop = then;
      if (left === 0 && how === "stopped") then();
    },
  };
}
