import { parse } from "yaml";
import { writeYaml } from "../../../lib/index.ts";

/** For the first server alone, and only until a second one is there: a server that starts with it and no database starts a cluster. */
export const foundingFile = (): string => writeYaml({ "cluster-init": true });

/** For everybody else: `https://ADDRESS:6443` of a server that runs. */
export const joiningFile = (url: string): string => writeYaml({ server: url });

/** Whether a server that starts with this text and no database founds a cluster. Unreadable text does not join, so it does. */
export function isFounding(text: string): boolean {
  const server = valuesIn(text)["server"];
  return typeof server !== "string" || server === "";
}

function valuesIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
