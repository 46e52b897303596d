import { createHash } from "node:crypto";
import { stringify } from "yaml";
import type { SimChart } from "./chart.ts";
import { chartsAt } from "./find-chart.ts";
import { chartMetadata, packChart } from "./pack-chart.ts";

export interface Answer {
  status: number;
  type: string;
  body: string | Buffer;
  headers?: Record<string, string>;
}

const manifestType = "application/vnd.oci.image.manifest.v1+json";
const configType = "application/vnd.cncf.helm.config.v1+json";
const layerType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/**
 * One site stands for all the real ones: the first part of a path is the host it stands for, as in a mirror.
 * `/helm.cilium.io/index.yaml` is a repository, `/v2/quay.io/cilium/charts/cilium/…` a registry.
 */
export function answer(charts: readonly SimChart[], path: string): Answer {
  if (path === "/v2/" || path === "/v2") return json(200, {});
  const registry = /^\/v2\/(.+)\/(manifests|blobs|tags)\/([^/]+)$/.exec(path);
  if (registry) {
    const [, name = "", what = "", reference = ""] = registry;
    return answerRegistry(chartsAt(charts, { oci: `oci://${name}` }), name, what, reference);
  }
  const file = /^\/(.+)\/([^/]+)$/.exec(path);
  if (!file) return missing(path);
  const repo = `https://${file[1]}`;
  const here = charts.filter((chart) => chart.sources.some((each) => "repo" in each && each.repo === repo));
  if (here.length === 0) return missing(path);
  if (file[2] === "index.yaml") return { status: 200, type: "text/yaml", body: stringify(indexOf(here)) };
  const chart = here.find((each) => fileName(each) === file[2]);
  return chart ? { status: 200, type: "application/gzip", body: packChart(chart) } : missing(path);
}

function indexOf(charts: SimChart[]) {
  const entries: Record<string, unknown[]> = {};
  for (const chart of charts)
    (entries[chart.name] ??= []).push({
      ...chartMetadata(chart),
      urls: [fileName(chart)],
      digest: digest(packChart(chart)).slice("sha256:".length),
      created: "2026-08-22T00:00:00Z",
    });
  return { apiVersion: "v1", generated: "2026-08-22T00:00:00Z", entries };
}

function answerRegistry(charts: SimChart[], name: string, what: string, reference: string): Answer {
  if (charts.length === 0) return refused(404, "NAME_UNKNOWN", "repository name not known to registry");
  // A tag may hold no plus sign, which versions may.
  if (what === "tags") return json(200, { name, tags: charts.map((chart) => tagOf(chart)) });
  for (const chart of charts) {
    const parts = imageOf(chart);
    if (what === "manifests" && (reference === tagOf(chart) || reference === parts.digest))
      return blob(manifestType, parts.manifest);
    if (what === "blobs" && reference === digest(parts.config)) return blob(configType, parts.config);
    if (what === "blobs" && reference === digest(parts.layer)) return blob(layerType, parts.layer);
  }
  return what === "blobs"
    ? refused(404, "BLOB_UNKNOWN", "blob unknown to registry")
    : refused(404, "MANIFEST_UNKNOWN", "manifest unknown");
}

/** A chart as a registry keeps it: its metadata, its archive, and a manifest that names both. */
function imageOf(chart: SimChart) {
  const config = Buffer.from(JSON.stringify(chartMetadata(chart)));
  const layer = packChart(chart);
  const described = (mediaType: string, bytes: Buffer) => ({
    mediaType,
    digest: digest(bytes),
    size: bytes.length,
  });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: described(configType, config),
      layers: [described(layerType, layer)],
    }),
  );
  return { config, layer, manifest, digest: digest(manifest) };
}

const fileName = (chart: SimChart): string => `${chart.name}-${chart.version}.tgz`;
const tagOf = (chart: SimChart): string => chart.version.replaceAll("+", "_");
const digest = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

const blob = (type: string, body: Buffer): Answer => ({
  status: 200,
  type,
  body,
  headers: { "docker-content-digest": digest(body) },
});

const json = (status: number, value: unknown): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});

const refused = (status: number, code: string, message: string): Answer =>
  json(status, { errors: [{ code, message }] });

const missing = (path: string): Answer => ({ status: 404, type: "text/plain", body: `no ${path} here\n` });
