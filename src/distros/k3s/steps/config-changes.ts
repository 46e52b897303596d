import { parse } from "yaml";
import { stableJson } from "../../../lib/index.ts";
import type { Deviation } from "../../../plan/index.ts";

/** Kubernetes reads these when a node registers, and never again: what is there already is changed through the API. */
const registrationKeys = new Set(["node-label", "node-taint"]);

/** What differs between two texts of config.yaml, key by key. Values that open something are not shown. */
export function configChanges(wanted: string, found: string): Deviation[] {
  const [want, have] = [valuesIn(wanted), valuesIn(found)];
  const keys = [...new Set([...Object.keys(want), ...Object.keys(have)])];
  return keys
    .filter((key) => stableJson(want[key] ?? null) !== stableJson(have[key] ?? null))
    .map((key) => ({
      field: key,
      from: isSecret(key) && have[key] !== undefined ? "another one" : inWords(have[key]),
      to: isSecret(key) && want[key] !== undefined ? "that of the cluster" : inWords(want[key]),
      consequence: registrationKeys.has(key) ? "hot" : "roll",
    }));
}

const isSecret = (key: string): boolean => /token|password|secret-key|access-key|datastore/.test(key);

function valuesIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = parse(text, { version: "1.1" });
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function inWords(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value)) return value.map(String).join(", ");
  return typeof value === "string" ? value : stableJson(value);
}
