import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const slipway = join(root, "bin/slipway.js");
const reportUsage = join(root, "bench/report-usage.mjs");
const budgetMs = 25;

/** What a process costs, of the processor's time: a busy machine does not add to that. */
function cpuMsOf(args: string[]): number {
  const { stderr } = spawnSync(process.execPath, ["--import", reportUsage, ...args], { encoding: "utf8" });
  return (JSON.parse(stderr) as { cpuMs: number }).cpuMs;
}

/** What starting Slipway costs above starting Node: the best of many turns each, because noise only ever adds. */
function overheadMs(emptyScript: string): number {
  const pairs = Array.from({ length: 15 }, () => ({
    bare: cpuMsOf([emptyScript]),
    ours: cpuMsOf([slipway, "--version"]),
  }));
  return Math.min(...pairs.map(({ ours }) => ours)) - Math.min(...pairs.map(({ bare }) => bare));
}

test("slipway --version tells the version of the package", () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  expect(execFileSync(process.execPath, [slipway, "--version"], { encoding: "utf8" })).toBe(`${version}\n`);
  expect(execFileSync(process.execPath, [slipway, "-V"], { encoding: "utf8" })).toBe(`${version}\n`);
});

// One more try, because the machine may be busy with something else.
test("slipway --version starts within 25 ms of processor time of bare Node", { retry: 2 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-cold-"));
  const emptyScript = join(folder, "empty.cjs");
  writeFileSync(emptyScript, "");
  try {
    expect(overheadMs(emptyScript)).toBeLessThan(budgetMs);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Tells each file of the program as it is loaded, with its length. */
const loadedFiles = `export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (url.includes("/dist/")) process._rawDebug(url.split("/").at(-1), loaded.source?.length ?? 0);
  return loaded;
}`;

test("slipway validate loads the schema of the file, and neither clients nor simulators nor ciphers", () => {
  const hook = `import { register } from "node:module"; register(${JSON.stringify(asUrl(loadedFiles))});`;
  const file = join(root, "examples/quickstart.yaml");
  const { stderr } = spawnSync(process.execPath, ["--import", asUrl(hook), slipway, "validate", "-f", file], {
    encoding: "utf8",
  });
  const loaded = [...stderr.matchAll(/^(\S+\.js) (\d+)$/gm)].map(([, name = "", bytes = "0"]) => ({
    name,
    bytes: Number(bytes),
  }));
  expect(loaded.some(({ name }) => name.startsWith("validate"))).toBe(true);
  // How add-ons are installed and what stands for them are chunks of their own, which a look at a file leaves alone.
  const names = loaded.map(({ name }) => name);
  expect(names.filter((name) => /^(install|stand-in|addons-in|assemble)/.test(name))).toEqual([]);
  // To find and read a file takes longer than to read what stands in one that is small.
  expect(names.length).toBeLessThan(9);
  // It was two megabytes when every command brought whole folders along.
  expect(loaded.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(550_000);
});

const asUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
