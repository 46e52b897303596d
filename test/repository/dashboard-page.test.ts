import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const built = resolve(import.meta.dirname, "../../dist/dashboard");
const read = (name: string): string => readFileSync(join(built, name), "utf8");

test("the page of the dashboard is at most 60 KiB gzipped, in all", () => {
  const bytes = ["app.js", "app.css"].reduce(
    (sum, name) => sum + gzipSync(read(name), { level: 9 }).length,
    0,
  );
  expect(bytes).toBeLessThan(60 * 1024);
  expect(bytes).toBeGreaterThan(10 * 1024);
});

test("the page brings all it needs, and turns no text into code or markup", () => {
  const script = read("app.js");
  expect(script.match(/\bimport\s*["'{*(]|\bfrom\s*["']/g), "of other files").toBeNull();
  expect(script.match(/https?:\/\/(?!www\.w3\.org\/)[\w.-]+/g), "of other servers").toBeNull();
  expect(read("app.css").match(/@import|url\(/g)).toBeNull();
  for (const sink of ["eval(", "new Function", "document.write", "insertAdjacentHTML"])
    expect(script).not.toContain(sink);
});
