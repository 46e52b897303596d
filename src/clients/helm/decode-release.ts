import { gunzipSync, gzipSync } from "node:zlib";
import { releaseUnreadable } from "./errors.ts";
import type { ReleaseStatus } from "./release.ts";

/** A release as its Secret holds it. */
export interface StoredRelease {
  name: string;
  namespace: string;
  revision: number;
  status: ReleaseStatus;
  description: string;
  chart: string;
  version: string;
  appVersion: string;
  /** What was given to it, beyond the chart's own. May hold secrets. */
  values: Record<string, unknown>;
  /** Everything it rendered to, hooks left out. */
  manifest: string;
  /** By whom fields are merged: the server, or helm itself as Helm 3 does. */
  applyMethod: "ssa" | "csa";
}

/** The JSON inside a release's Secret, as helm writes it. */
export interface ReleaseRecord {
  name: string;
  namespace: string;
  version: number;
  info: {
    status: string;
    description?: string;
    notes?: string;
    first_deployed?: string;
    last_deployed?: string;
    deleted?: string;
  };
  chart: {
    metadata: { name: string; version: string; appVersion?: string; [field: string]: unknown };
    [field: string]: unknown;
  };
  config?: Record<string, unknown>;
  manifest: string;
  apply_method?: string;
  [field: string]: unknown;
}

/** `data.release` of the Secret, as the Kubernetes API gives it. */
export function decodeRelease(data: string): StoredRelease {
  const record = unpackRelease(data);
  const { metadata } = record.chart;
  return {
    name: record.name,
    namespace: record.namespace,
    revision: record.version,
    status: record.info.status as ReleaseStatus,
    description: record.info.description ?? "",
    chart: metadata.name,
    version: metadata.version,
    appVersion: metadata.appVersion ?? "",
    values: record.config ?? {},
    manifest: record.manifest,
    applyMethod: record.apply_method === "ssa" ? "ssa" : "csa",
  };
}

/** Helm's own base64 lies inside the one every Secret has. */
export function unpackRelease(data: string): ReleaseRecord {
  try {
    const packed = Buffer.from(Buffer.from(data, "base64").toString("latin1"), "base64");
    return JSON.parse(gunzipSync(packed).toString("utf8")) as ReleaseRecord;
  } catch {
    // What the parser says may quote values.
    throw releaseUnreadable();
  }
}

export const packRelease = (record: ReleaseRecord): string =>
  Buffer.from(gzipSync(JSON.stringify(record)).toString("base64"), "latin1").toString("base64");
