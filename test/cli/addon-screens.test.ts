import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { standInCharts } from "../support/addons/stand-ins.ts";
import { packChart } from "../../src/sim/charts/index.ts";
import { expectGolden } from "../support/golden.ts";
import { findHelm } from "../support/kube/kubectl.ts";
import { preflightLab, type PreflightLab } from "../support/screens/preflight-lab.ts";
import { screenFolder } from "../support/screens/screen-folder.ts";
import { peers } from "../support/peers.ts";

/** What a person sees of add-ons before anything is made: a first plan, and everything that stands in their way at once. */

const datacenter = `
nodes:
  hydra: { cores: 8, memory: 32GiB }
storages:
  local: { type: dir, size: 100GiB, content: [iso, import] }
  local-lvm: { type: lvmthin, size: 500GiB, content: [images] }
`;

const folder = screenFolder("addon-screens");
const chart = path.join(folder, "web");
mkdirSync(path.join(chart, "templates"), { recursive: true });
writeFileSync(path.join(chart, "Chart.yaml"), "apiVersion: v2\nname: web\nversion: 1.0.0\n");
writeFileSync(
  path.join(chart, "templates/config.yaml"),
  "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\n",
);
writeFileSync(
  path.join(chart, "values.schema.json"),
  JSON.stringify({ type: "object", properties: { replicas: { type: "integer" } } }),
);

let lab: PreflightLab;
beforeAll(async () => {
  lab = await preflightLab("127.44.51.250", datacenter);
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const charts = path.join(folder, "charts");
mkdirSync(charts);

const addons = (...lines: string[]): string =>
  `    charts: { folder: ./charts }\n    addons:\n${lines.map((line) => `      - ${line}\n`).join("")}`;

const screenOf = async (command: "plan" | "up", cluster: string, env: Record<string, string>) => {
  const { code, text } = await lab.screen(command, { cluster, env });
  return { code, text: text.replaceAll(folder, "FOLDER") };
};

test("without helm one message tells it for all add-ons, before anything is made", async () => {
  const { code, text } = await screenOf("up", addons("cert-manager", "prometheus-crds"), {
    SLIPWAY_HELM: "/nowhere/helm",
  });
  expect(code).toBe(1);
  expectGolden(text, import.meta.dirname, "testdata/addons/no-helm.txt");
  expect(text.match(/HELM_MISSING/g)).toHaveLength(1);
  expect(lab.datacenter.faults.seen.filter((call) => !call.startsWith("proxmox GET "))).toEqual([]);
});

const helm = findHelm();

test.skipIf(!helm)(
  "pain-30-failures-hide-one-behind-another: chart, values, secret and manifests are told at once, with their place (siderolabs/sidero#164)",
  peers,
  async () => {
    const { code, text } = await screenOf(
      "up",
      addons(
        "cert-manager",
        `chart: { name: web, namespace: web, chart: { path: ${chart} }, values: { replicas: many } }`,
        "flux: { url: https://git.example.org/fleet.git, credentials: { password: { env: NO_SUCH_TOKEN } } }",
        "manifest: { name: issuers, file: ./nowhere.yaml, after: [] }",
      ),
      { SLIPWAY_HELM: helm ?? "" },
    );
    expect(code).toBe(1);
    expectGolden(text, import.meta.dirname, "testdata/addons/all-at-once.txt");
    expect(lab.datacenter.faults.seen.filter((call) => !call.startsWith("proxmox GET "))).toEqual([]);
  },
);

test.skipIf(!helm)(
  "a first plan names add-ons with their versions, the next one knows how many objects they make",
  peers,
  async () => {
    for (const each of standInCharts.filter(
      ({ name }) => name === "cert-manager" || name === "prometheus-operator-crds",
    ))
      writeFileSync(path.join(charts, `${each.name}-${each.version}.tgz`), packChart(each));
    const wanted = addons(
      "cert-manager",
      "prometheus-crds",
      `chart: { name: web, namespace: web, chart: { path: ${chart} }, values: { replicas: 2 } }`,
    ).replace("./charts", charts);
    const env = { SLIPWAY_HELM: helm ?? "" };
    const { text } = await screenOf("plan", wanted, env);
    expectGolden(text, import.meta.dirname, "testdata/addons/first-plan.txt");
    const { text: json } = await lab.screen("plan", { cluster: wanted, env, json: true });
    const [plan] = json
      .split("\n")
      .flatMap((line) => (line.includes('"type":"plan"') ? [JSON.parse(line) as PlanLine] : []));
    const facts = plan?.steps
      .filter(({ group }) => group === "addons")
      .map((step) => ({ id: step.id, ...step.facts }));
    expect(facts).toEqual([
      { id: "lab/addon/cert-manager", version: "1.21.1", objects: expect.any(Number) as number },
      { id: "lab/addon/prometheus-crds", version: "31.0.1", objects: expect.any(Number) as number },
      { id: "lab/addon/web", version: "", objects: 2 },
    ]);
  },
);

interface PlanLine {
  steps: { id: string; group: string; facts?: Record<string, unknown> }[];
}
