import { z } from "zod";
import { textField } from "../schema/fields/field.ts";
import { anyText, version } from "../schema/fields/common-fields.ts";
import { secret, secretRef } from "../schema/host.ts";
import type { SecretRef } from "../model/secret.ts";
import { oneKeyOf } from "../schema/fields/one-key-of.ts";
import { oneOf } from "../schema/fields/one-of.ts";
import type { ChartSource } from "./model.ts";

/** A name Kubernetes takes for an object: small letters, digits, hyphens. */
export const objectName = (description: string, example: string) =>
  textField(
    { description, examples: [example] },
    {
      pattern: /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
      code: "SPEC_BAD_NAME",
      isNot: "a name Kubernetes takes",
      next: "Use small letters, digits and hyphens, at most 63 in all",
    },
  );

const chartFields = z.strictObject({
  oci: textField(
    {
      description: "An address in a registry, without a tag.",
      examples: ["oci://registry.example.org/charts/cilium"],
    },
    {
      pattern: /^oci:\/\/[^\s:/]+(:\d+)?(\/[^\s/]+)+$/,
      code: "SPEC_BAD_URL",
      isNot: "the address of a chart in a registry",
      next: "Write it like oci://registry.example.org/charts/cilium; the version is a field of its own",
    },
  ).optional(),
  repository: textField(
    { description: "The URL of a chart repository.", examples: ["https://charts.example.org"] },
    {
      pattern: /^https?:\/\/\S+$/i,
      code: "SPEC_BAD_URL",
      isNot: "the URL of a chart repository",
      next: "Write a URL like https://charts.example.org",
    },
  ).optional(),
  name: objectName("The chart's name in the repository.", "cilium").optional(),
  path: anyText({
    description: "A chart on this machine: a folder or a .tgz. Relative to the cluster file.",
    examples: ["./charts/cilium-1.20.1.tgz"],
  }).optional(),
});

export const chart = oneKeyOf(chartFields, "oci, repository or path", ["name"]).register(z.globalRegistry, {
  id: "chart",
  description: "Where a chart comes from: a registry, a repository with the chart's name, or this machine.",
  examples: [{ oci: "oci://registry.example.org/charts/cilium" }],
});

/** Without a name a repository's chart is called as `usual`. */
export function chartSource(written: WrittenChart, usual: string): ChartSource {
  if (written.oci !== undefined) return { oci: written.oci };
  if (written.path !== undefined) return { path: written.path };
  return { repository: written.repository ?? "", name: written.name ?? usual };
}

export const chartVersion = version(
  {
    description: "The version of its chart. Left out: the newest tested with the cluster's Kubernetes.",
    examples: ["1.20.1"],
  },
  "1.20.1",
);

export const owners = ["slipway", "gitops"] as const;

const owner = oneOf(
  {
    description:
      "Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more.",
  },
  owners,
).prefault("slipway");

export const ownerField = { owner };

const valuesFile = anyText({
  description: "A file of chart values beside the cluster file.",
  examples: ["./values.yaml"],
});

/** What chart every add-on is installed with. */
export const valueFields = {
  values: z
    .record(z.string(), z.unknown())
    .prefault({})
    .register(z.globalRegistry, {
      description: "Chart values of your own; they win.",
      examples: [{ replicaCount: 2 }],
    }),
  valuesFiles: z
    .union([z.array(valuesFile), valuesFile])
    .prefault([])
    .register(z.globalRegistry, {
      description: "Files of chart values beside the cluster file; later ones win, `values` wins over all.",
      examples: [["./values.yaml"]],
    }),
  secretValues: z
    .record(
      z.string().regex(/^[^\s.]+(\.[^\s.]+)*$/),
      secret.meta({ description: "Where it is found.", examples: [{ env: "ADMIN_PASSWORD" }] }),
    )
    .prefault({})
    .register(z.globalRegistry, {
      description: "Chart values that must not be in the file, by their path.",
      examples: [{ "admin.password": { env: "ADMIN_PASSWORD" } }],
    }),
};

/** What can be said of every add-on that is a chart. */
export const chartFieldsOfAddon = {
  version: chartVersion.optional(),
  ...ownerField,
  chart: chart.optional(),
  ...valueFields,
};

export type WrittenChart = z.output<typeof chart>;

export interface WrittenValues {
  values: Record<string, unknown>;
  valuesFiles: string | string[];
  secretValues: Record<string, z.output<typeof secret>>;
}

export const completeValues = (written: WrittenValues) => ({
  values: written.values,
  valuesFiles: [written.valuesFiles].flat(),
  secretValues: Object.fromEntries(
    Object.entries(written.secretValues).map(([path, ref]): [string, SecretRef] => [path, secretRef(ref)]),
  ),
});
