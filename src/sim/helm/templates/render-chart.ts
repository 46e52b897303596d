import { isHook, splitManifests, type RenderedObject } from "../../../clients/helm/index.ts";
import { byInstallOrder } from "./install-order.ts";
import type { LoadedChart } from "./load-chart.ts";
import { runTemplate } from "./run-template.ts";
import { TemplateError } from "./template-tree.ts";

export interface RenderInput {
  chart: LoadedChart;
  release: { name: string; namespace: string; revision: number; isInstall: boolean };
  values: Record<string, unknown>;
  /** `v1.36.3` */
  kubeVersion: string;
  /** `group/version` and `group/version/Kind`. */
  apiVersions: ReadonlySet<string>;
}

export interface Rendered {
  /** In the order they are made. */
  objects: RenderedObject[];
  hooks: RenderedObject[];
  crds: RenderedObject[];
}

/** What a chart renders to. Throws a TemplateError with helm's words. */
export function renderChart(input: RenderInput): Rendered {
  const { chart, release } = input;
  checkKubeVersion(chart, input.kubeVersion);
  const data = {
    Values: mergeValues(chart.values, input.values),
    Release: {
      Name: release.name,
      Namespace: release.namespace,
      Revision: release.revision,
      IsInstall: release.isInstall,
      IsUpgrade: !release.isInstall,
      Service: "Helm",
    },
    Chart: {
      Name: chart.metadata.name,
      Version: chart.metadata.version,
      AppVersion: chart.metadata.appVersion ?? "",
    },
    Capabilities: {
      KubeVersion: { Version: input.kubeVersion },
      APIVersions: { Has: (wanted: string) => input.apiVersions.has(wanted) },
    },
  };
  const all = chart.templates.flatMap(([file, text]) => {
    const name = `${chart.metadata.name}/${file}`;
    const rendered = runTemplate(text, name, data);
    try {
      return splitManifests(rendered);
    } catch {
      throw new TemplateError(`YAML parse error on ${name}: error converting YAML to JSON`);
    }
  });
  return {
    objects: byInstallOrder(all.filter((object) => !isHook(object))),
    hooks: all.filter(isHook),
    crds: chart.crds.flatMap(([, text]) => splitManifests(text)),
  };
}

/** The chart's values with the given ones over them; null takes a value away. */
export function mergeValues(
  own: Record<string, unknown>,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...own };
  for (const [key, value] of Object.entries(given)) {
    const before = merged[key];
    if (value === null) delete merged[key];
    else merged[key] = isMap(before) && isMap(value) ? mergeValues(before, value) : value;
  }
  return merged;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Stand-ins ask for a lowest version, or for one below another. */
function checkKubeVersion({ metadata }: LoadedChart, version: string): void {
  const [, sign, ...limit] = /^(>=|<)\s*(\d+)\.(\d+)/.exec(metadata.kubeVersion ?? "") ?? [];
  const found = /(\d+)\.(\d+)/.exec(version)?.slice(1);
  if (sign === undefined || found === undefined) return;
  const number = ([major, minor]: string[]) => Number(major) * 1000 + Number(minor);
  const isBelow = number(found) < number(limit);
  if (isBelow !== (sign === "<"))
    throw new TemplateError(
      `chart requires kubeVersion: ${metadata.kubeVersion ?? ""} which is incompatible with Kubernetes ${version}`,
    );
}
