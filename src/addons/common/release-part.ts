import { unlessEmpty } from "../../lib/index.ts";
import type { Addon, ChartSource } from "../../spec/index.ts";
import type { ReleasePart, SecretPlace } from "./definition.ts";

type Values = Record<string, unknown>;

/** The release of an add-on: Slipway's values with the user's over them, and the user's source of the chart. */
export function releasePart(
  addon: Addon,
  usual: {
    name: string;
    namespace: string;
    chart: ChartSource;
    version: string;
    values: Values;
    secrets?: SecretPlace[] | undefined;
  },
): ReleasePart {
  const secrets = [
    ...(usual.secrets ?? []),
    ...Object.entries(addon.secretValues).map(([path, secret]) => ({ path: path.split("."), secret })),
  ];
  return {
    kind: "release",
    name: usual.name,
    namespace: usual.namespace,
    chart: addon.chart ?? usual.chart,
    version: usual.version,
    values: mergeValues(usual.values, addon.values),
    secrets: unlessEmpty(secrets),
  };
}

/** As helm merges: maps are joined, everything else is replaced. */
export const mergeValues = (one: Values, other: Values): Values => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([key, value]) => {
      const before = one[key];
      return [key, isMap(before) && isMap(value) ? mergeValues(before, value) : value];
    }),
  ),
});

/** What the user set at a path of the values, e.g. `envoy.enabled`. */
export const valueAt = (values: Values, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, key) => (isMap(inner) ? inner[key] : undefined), values);

const isMap = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);
