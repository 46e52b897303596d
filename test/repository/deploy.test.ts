import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { deployFiles } from "../../scripts/deploy/index.ts";
import { slipwayVersion } from "../../src/addons/slipway/options.ts";
import { catalogue, type MetricDeclaration } from "../../src/controller/metrics/index.ts";
import { findHelm, howToGetKubectl } from "../support/kube/kubectl.ts";
import { peers } from "../support/peers.ts";

const root = path.resolve(import.meta.dirname, "../..");
const fileOf = (name: string): string => readFileSync(path.join(root, "deploy", name), "utf8");
const documentsIn = (text: string): unknown[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter((each) => each !== null);

test("what lies in deploy/ is what the add-on installs", () => {
  for (const [name, text] of Object.entries(deployFiles()))
    expect(fileOf(name) === text, `deploy/${name} is old: run npm run docs`).toBe(true);
  expect(realpathSync(path.join(root, "deploy/chart/crds"))).toBe(path.join(root, "deploy/crds"));
});

test("controller, chart and image are of the version of the package", () => {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    version: string;
  };
  expect(slipwayVersion).toBe(version);
});

interface Dashboard {
  panels: {
    title: string;
    type: string;
    targets?: { expr: string }[];
    gridPos: Record<"x" | "y" | "w" | "h", number>;
  }[];
  templating: { list: { query: unknown }[] };
}
interface Rules {
  groups: { rules: { alert: string; expr: string }[] }[];
}

/** Names of metrics, as Prometheus keeps them, each with its labels. */
const kept = new Map<string, readonly string[]>(
  (Object.values(catalogue) as MetricDeclaration[]).flatMap(
    ({ name, type, labels }): [string, readonly string[]][] =>
      type === "histogram"
        ? [
            [`${name}_bucket`, [...labels, "le"]],
            [`${name}_sum`, labels],
            [`${name}_count`, labels],
          ]
        : [[name, labels]],
  ),
);
/** Put on by Prometheus itself. */
const usual = ["pod"];

/** Everything in an expression that no metric has. */
function strangers(expr: string): string[] {
  const names = expr.match(/\bslipway_\w+/g) ?? [];
  const known = new Set([...names.flatMap((name) => kept.get(name) ?? []), ...usual]);
  const selected = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = ""]) =>
    [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label),
  );
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner = ""]) => inner.split(/,\s*/));
  return [
    ...(names.length === 0 ? ["no metric"] : []),
    ...names.filter((name) => !kept.has(name)),
    ...[...selected, ...grouped].filter((label) => !known.has(label)),
  ];
}

const panels = (JSON.parse(fileOf("grafana/slipway.json")) as Dashboard).panels;
const rules = (parse(fileOf("prometheus/rules.yaml")) as Rules).groups.flatMap((group) => group.rules);

test("every expression of the dashboard and of the alerts asks for metrics and labels that exist", () => {
  const expressions = [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...rules.map(({ expr }) => expr),
  ];
  expect(expressions.length).toBeGreaterThan(25);
  for (const expr of expressions) expect(strangers(expr), expr).toEqual([]);
  expect(strangers('sum by (cluster) (slipway_steps_total{nobody="x"}) + slipway_step')).toEqual([
    ...["slipway_step", "nobody", "cluster"],
  ]);
});

test("the dashboard shows every metric, and no panel stands on another", () => {
  const shown = panels.flatMap(({ targets = [] }) =>
    targets.flatMap(({ expr }) => expr.match(/\bslipway_\w+/g) ?? []),
  );
  const bare = new Set(shown.map((name) => name.replace(/_(bucket|sum|count)$/, "")));
  const hidden = Object.values(catalogue).flatMap(({ name }) => (bare.has(name) ? [] : [name]));
  expect(hidden).toEqual([
    "slipway_plan_duration_seconds",
    "slipway_etcd_members",
    "slipway_workqueue_longest_running_seconds",
    "slipway_build_info",
  ]);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
});

test("the guide has a line for every metric, with its type and labels, and for every alert", () => {
  const guide = readFileSync(path.join(root, "docs/guides/fleet.md"), "utf8");
  for (const { name, type, help, labels } of Object.values(catalogue)) {
    const told = labels.map((label) => `\`${label}\``).join(", ") || "–";
    expect(guide).toContain(`| \`${name}\` | ${type} | ${told} | ${help.replace(/\.$/, "")} |`);
  }
  for (const { alert } of rules) expect(guide).toContain(`| \`${alert}\` |`);
});

const helm = findHelm();

describe.skipIf(helm === undefined)(`the chart (${howToGetKubectl})`, peers, () => {
  const rendered = (...args: string[]): unknown[] =>
    documentsIn(
      execFileSync(
        helm ?? "",
        ["template", "slipway", path.join(root, "deploy/chart"), "--namespace", "slipway-system", ...args],
        { encoding: "utf8", stdio: "pipe" },
      ),
    );
  const byName = (all: unknown[]) =>
    Object.fromEntries(
      (all as { kind: string; metadata: { name: string } }[]).map((each) => [
        `${each.kind} ${each.metadata.name}`,
        each,
      ]),
    );

  test("real helm makes of it what the plain YAML says", () => {
    const [namespace, ...plain] = documentsIn(fileOf("slipway.yaml"));
    expect(namespace).toMatchObject({ kind: "Namespace", metadata: { name: "slipway-system" } });
    expect(byName(rendered())).toEqual(byName(plain));
    expect(byName(rendered("--set", "monitoring.enabled=true"))).toEqual(
      byName([...plain, ...documentsIn(fileOf("prometheus/operator.yaml"))]),
    );
  });

  test("its kinds come along, and its values reach the Deployment", () => {
    const names = Object.keys(byName(rendered("--include-crds"))).filter((name) =>
      name.startsWith("CustomResource"),
    );
    expect(new Set(names.map((name) => name.split(" ")[1]))).toEqual(
      new Set(
        ["slipwayclusters", "slipwayhosts", "slipwayrollouts", "slipwayruns"].map(
          (plural) => `${plural}.slipway.dev`,
        ),
      ),
    );
    const values = [
      ...["replicas=3", "image.repository=registry.lan/slipway", "image.pullSecrets[0].name=registry"],
      ...["env[0].name=OTEL_EXPORTER_OTLP_ENDPOINT", "env[0].value=http://collector:4318", "image.tag=next"],
    ].flatMap((value) => ["--set", value]);
    expect(byName(rendered(...values))["Deployment slipway-controller"]).toMatchObject({
      spec: {
        replicas: 3,
        template: {
          spec: {
            imagePullSecrets: [{ name: "registry" }],
            containers: [
              {
                image: "registry.lan/slipway:next",
                env: [{ name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "http://collector:4318" }],
              },
            ],
          },
        },
      },
    });
  });
});
