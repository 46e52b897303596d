import { datacenterParams } from "../../../clients/proxmox/endpoints/index.ts";
import type { DatacenterFile } from "../../datacenter-file.ts";
import type { Cluster } from "../cluster.ts";
import { parseProperties } from "../parameters/property-string.ts";
import { paramFor } from "../parameters/verify.ts";

type Options = DatacenterFile["options"] & {
  "next-id"?: { lower?: string; upper?: string };
  [key: string]: unknown;
};

/** Options of the datacenter: those of its file, and what calls have made of them. */
export function optionsOf(cluster: Cluster): Options {
  const all = { ...cluster.file.options, ...cluster.state.options };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** Sets and removes options. The server shows those that are property strings in their parts. */
export function setOptions(
  cluster: Cluster,
  values: Record<string, unknown>,
  removed: readonly string[],
): void {
  cluster.state.options = {
    ...cluster.state.options,
    ...Object.fromEntries(Object.entries(values).map(([key, value]) => [key, shown(cluster, key, value)])),
    ...Object.fromEntries(removed.map((key) => [key, null])),
  };
  cluster.changed();
}

function shown(cluster: Cluster, key: string, value: unknown): unknown {
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return value;
  if (key === "description") return `${value.replace(/\n$/, "")}\n`;
  if (key === "console" && value === "applet") return "html5";
  if (key === "registered-tags") return value.split(";");
  const table = paramFor(datacenterParams, key, cluster.version)?.properties;
  if (!table || key === "bwlimit") return value;
  const { "user-allow-list": list, ...parts } = parseProperties(table, value, cluster.version);
  return list === undefined ? parts : { ...parts, "user-allow-list": list.split(";") };
}
