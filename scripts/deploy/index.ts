/** What lies in deploy/ beside the kinds: the controller as plain YAML and as a chart, alert rules, and a dashboard. */
import { namespacePart } from "../../src/addons/common/index.ts";
import { controllerObjects } from "../../src/addons/slipway/manifests.ts";
import { alertRules, monitoringObjects } from "../../src/addons/slipway/monitoring.ts";
import { slipwayVersion } from "../../src/addons/slipway/options.ts";
import { chartFiles } from "./chart.ts";
import { dashboard } from "./dashboard.ts";
import { yamlText } from "../yaml-text.ts";

const namespace = "slipway-system";
const image = `registry.slipway.dev/slipway:${slipwayVersion}`;
const head =
  '# Made by scripts/generate-deploy.ts from src/addons/slipway. Run "npm run docs" after changing it.\n';

/** Paths below deploy/ and their text. */
export function deployFiles(): Record<string, string> {
  const namespaces = namespacePart(namespace, "restricted").objects.map(({ manifest }) => manifest);
  return {
    "slipway.yaml": documents([...namespaces, ...controllerObjects({ namespace, image, replicas: 2 })]),
    "prometheus/rules.yaml": documents([alertRules()]),
    "prometheus/operator.yaml": documents(monitoringObjects(namespace)),
    "grafana/slipway.json": `${JSON.stringify(dashboard(), undefined, 2)}\n`,
    ...Object.fromEntries(
      Object.entries(chartFiles()).map(([name, text]) => [`chart/${name}`, `${head}${text}`]),
    ),
  };
}

const documents = (all: readonly object[]): string => head + all.map(yamlText).join("---\n");
