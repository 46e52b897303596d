import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { callHelm } from "../call.ts";
import type { ChartRef, LocalChart } from "./chart.ts";
import { chartNotFound, chartNotGenuine } from "../errors.ts";
import type { HelmOptions } from "../options.ts";

const pullLimitMs = 120_000;

/** Where a chart lies on this machine, fetched now if it was never fetched before. */
export async function fetchChart(
  options: HelmOptions,
  chart: ChartRef,
  signal: AbortSignal,
): Promise<LocalChart> {
  const file = await locate(options, chart, signal);
  const digest = await digestPath(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") throw chartNotFound({ chart, why: `there is no "${file}"` });
    throw cause;
  });
  if (chart.digest !== undefined && chart.digest !== digest) {
    if ("oci" in chart.source || "repo" in chart.source) await rm(file, { force: true });
    throw chartNotGenuine({ chart, digest: chart.digest, found: digest });
  }
  return { path: file, digest };
}

async function locate(options: HelmOptions, chart: ChartRef, signal: AbortSignal): Promise<string> {
  const { source, version } = chart;
  if ("path" in source) return path.resolve(source.path);
  if (version === undefined) throw chartNotFound({ chart, why: "no version is named" });
  if ("folder" in source) return findInFolder(chart, source.folder, source.chart, version);
  const kept = keptFile(options.folder, source, version);
  const isKept = await stat(kept).then(
    () => true,
    () => false,
  );
  return isKept ? kept : pull(options, chart, kept, signal);
}

/** Some charts are named with a `v` before their version and asked for without it, or the other way round. */
async function findInFolder(chart: ChartRef, folder: string, name: string, version: string): Promise<string> {
  const bare = version.replace(/^v/, "");
  const wanted = [`${name}-${version}.tgz`, `${name}-${bare}.tgz`, `${name}-v${bare}.tgz`];
  const present = await readdir(folder).catch(() => {
    throw chartNotFound({ chart, why: `there is no folder "${folder}"` });
  });
  const found = wanted.find((file) => present.includes(file));
  if (found !== undefined) return path.resolve(folder, found);
  const others = present.filter((file) => file.startsWith(`${name}-`)).toSorted();
  const has = others.length === 0 ? "no version of it" : others.join(", ");
  throw chartNotFound({ chart, why: `"${folder}" has no ${wanted[0]}, but ${has}` });
}

/** One folder for each source, so that two with the same name stay apart. */
function keptFile(
  folder: string,
  source: { oci: string } | { repo: string; chart: string },
  version: string,
) {
  const address = "oci" in source ? source.oci : `${source.repo} ${source.chart}`;
  const name = "oci" in source ? (source.oci.split("/").at(-1) ?? "chart") : source.chart;
  const place = createHash("sha256").update(address).digest("hex").slice(0, 12);
  return path.join(folder, "charts", `${name}-${place}`, `${name}-${version}.tgz`);
}

async function pull(options: HelmOptions, chart: ChartRef, to: string, signal: AbortSignal): Promise<string> {
  const { source, version = "" } = chart;
  const where =
    "oci" in source ? [source.oci] : "repo" in source ? [source.chart, "--repo", source.repo] : [];
  const draft = `${path.dirname(to)}.${randomBytes(4).toString("hex")}`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    const { caFile, isPlainHttp } = options.trust ?? {};
    const trust = [
      ...(caFile === undefined ? [] : ["--ca-file", caFile]),
      ...(isPlainHttp ? ["--plain-http"] : []),
    ];
    await callHelm(
      options,
      {
        args: ["pull", ...where, "--version", version, "--destination", draft, ...trust],
        tried: { what: "fetch a chart", chart },
        limitMs: pullLimitMs,
      },
      signal,
    );
    const [file] = (await readdir(draft)).filter((each) => each.endsWith(".tgz"));
    if (file === undefined) throw chartNotFound({ chart, why: "helm fetched nothing" });
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
    await rename(path.join(draft, file), to);
    return to;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function digestPath(file: string): Promise<string> {
  const hash = createHash("sha256");
  if (!(await stat(file)).isDirectory()) hash.update(await readFile(file));
  else {
    const entries = await readdir(file, { recursive: true, withFileTypes: true });
    const names = entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(file, path.join(entry.parentPath, entry.name)))
      .toSorted();
    for (const name of names) hash.update(`${name}\0`).update(await readFile(path.join(file, name)));
  }
  return `sha256:${hash.digest("hex")}`;
}
