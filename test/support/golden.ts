import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";

/**
 * Holds a text against a golden file; the path is resolved against the test's `import.meta.dirname`.
 * `UPDATE_GOLDEN=1` rewrites it, and the difference is then read like code.
 */
export function expectGolden(text: string, ...place: string[]): void {
  const file = path.join(...place);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  if (!existsSync(file)) {
    throw new Error(`${path.basename(file)} does not exist; UPDATE_GOLDEN=1 writes it`);
  }
  expect(text, path.basename(file)).toBe(readFileSync(file, "utf8"));
}
