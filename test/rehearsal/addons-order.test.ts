import { expect, test } from "vitest";
import type { EventBody, StepId } from "../../src/plan/index.ts";
import { realisticLatencies, type Latencies } from "../../src/sim/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { fleetWith } from "../support/addons/site.ts";
import { errorsIn, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** When add-ons start, and which of them a request is about. */

const many = ["nfs-csi: { server: 10.14.0.5, share: /volume1/k8s }", "cert-manager", "prometheus-crds"];

/** The order in which steps began and ended. */
const marks = (events: EventBody[]): string[] =>
  events.flatMap((event) =>
    event.type === "started" || event.type === "finished" ? [`${event.type} ${short(event.step)}`] : [],
  );
const short = (step: StepId): string => step.replace(/^lab\//, "");

/** Waits as long as real ones are among each other. */
const latencies = Object.fromEntries(
  Object.entries(realisticLatencies).map(([name, ms]) => [name, ms / 6]),
) as unknown as Latencies;
const slow = { latencies };

async function timelineOf(fleet: Fleet): Promise<{ told: string[]; apiStep: string }> {
  await using site = await rehearsalSite(fleet, slow);
  const plan = await site.plan(fleet);
  const [apiStep = ""] = plan.changes.find(({ node }) => node.kind === "addon")?.node.after ?? [];
  const { events, runReport } = await site.up(fleet);
  expect(errorsIn(events)).toEqual([]);
  expect(runReport.outcome).toBe("done");
  return { told: marks(events), apiStep: short(apiStep) };
}

/** All of them began before anything else came to an end after that step, and thus beside each other. */
function expectAtOnce(told: string[], after: string, addons: string[]): void {
  const from = told.indexOf(`finished ${after}`);
  expect(from, told.join("\n")).toBeGreaterThan(0);
  const next = told.findIndex((mark, index) => index > from && mark.startsWith("finished"));
  const begun = told.slice(from, next);
  for (const id of addons) expect(begun, after).toContain(`started addon/${id}`);
}

test(
  "with Flannel, add-ons start together in the moment the API answers",
  { ...whole, timeout: 600_000 },
  async () => {
    const { told, apiStep } = await timelineOf(fleetWith(many));
    expectAtOnce(told, apiStep, ["nfs-csi", "cert-manager", "prometheus-crds"]);
  },
);

test(
  "with Cilium, only what has no pods starts with it; the rest starts when it works",
  { timeout: 600_000 },
  async () => {
    const { told, apiStep } = await timelineOf(fleetWith(["cilium", ...many]));
    expectAtOnce(told, apiStep, ["cilium", "prometheus-crds"]);
    expectAtOnce(told, "addon/cilium", ["nfs-csi", "cert-manager"]);
  },
);

const stepsOf = async (site: RehearsalSite, fleet: Fleet, request: Parameters<RehearsalSite["up"]>[1]) => {
  const { events, runReport } = await site.up(fleet, request);
  expect(errorsIn(events)).toEqual([]);
  expect(["done", "unchanged"]).toContain(runReport.outcome);
  return marks(events).filter((mark) => mark.startsWith("finished addon/"));
};

test(
  "--until kubernetes and --only CLUSTER/NODE bring the pods' network and leave other add-ons alone",
  whole,
  async () => {
    const fleet = fleetWith(["cilium: { gatewayApi: true }", "prometheus-crds", "cert-manager"]);
    const without = fleetWith(["cilium: { gatewayApi: true }", "prometheus-crds"]);
    await using site = await rehearsalSite(fleet);
    const kubernetes = await stepsOf(site, fleet, { until: "kubernetes" });
    expect(kubernetes).toEqual(["finished addon/gateway-api-crds", "finished addon/cilium"]);
    expect(await stepsOf(site, fleet, { selection: { cluster: "lab", node: "worker-1" } })).toEqual([]);
    expect((await stepsOf(site, fleet, {})).toSorted()).toEqual([
      "finished addon/cert-manager",
      "finished addon/prometheus-crds",
    ]);
    expect(await stepsOf(site, without, { until: "kubernetes" })).toEqual([]);
    expect(await stepsOf(site, without, {})).toEqual(["finished addon/cert-manager"]);
  },
);
