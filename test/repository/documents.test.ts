import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parseFleet } from "../../src/spec/index.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** What git knows, or would know after the next `git add`. */
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(root, path)));
const documents = tracked.filter((path) => path.endsWith(".md"));

test("README shows the two commands a newcomer needs", () => {
  const readme = read("README.md");
  expect(readme).toContain("\nnpm ci && npm start\n");
  expect(readme).toContain("\nnpm ci && npm test\n");
});

test("the cluster file in README is a valid one", () => {
  const [, sample = ""] = /```yaml\n([^]*?)```/.exec(read("README.md")) ?? [];
  const fingerprint = Array.from({ length: 32 }, () => "AA").join(":");
  const parsed = parseFleet({ file: "README.md", text: sample.replace("AA:BB:…", fingerprint) });
  expect(parsed).not.toHaveProperty("problems");
  expect(parsed).toMatchObject({ warnings: [], fleet: { clusters: [{ name: "homelab" }] } });
});

test.each(documents)("links in %s lead to files that exist", (document) => {
  const targets = [...read(document).matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target = ""]) => target.split("#")[0] ?? "",
  );
  const local = targets.filter((target) => target !== "" && !/^[a-z]+:/.test(target));
  expect(local.filter((target) => !existsSync(resolve(root, dirname(document), target)))).toEqual([]);
});

const capabilities = read("docs/capabilities.md")
  .split("\n")
  .map((line) => /^\| ([SB]\d?\.\w+) \| (.+) \| (.+) \|$/.exec(line))
  .filter((match) => match !== null)
  .map(([, id = "", , status = ""]) => ({ id, status }));

test("every capability is proven by tests that exist, or is not there yet", () => {
  const wrong = capabilities.filter(({ status }) => {
    if (status === "not yet") return false;
    const tests = [...status.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, path = ""]) => path);
    return (
      !/^(yes|part): `/.test(status) ||
      tests.length === 0 ||
      !tests.every((path) => existsSync(join(root, path)))
    );
  });
  expect(wrong).toEqual([]);
});

test("no capability is listed twice", () => {
  const ids = capabilities.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

// The ledger lies beside the checkout where the project is planned; elsewhere docs/capabilities.md stands for itself.
const ledger = resolve(root, "../shared/MISSION.md");
test.skipIf(!existsSync(ledger))("every row of the ledger is in docs/capabilities.md", () => {
  const rows = [...readFileSync(ledger, "utf8").matchAll(/^\| (S\d\.\w+) \|/gm)].map(([, id]) => id);
  const listed = new Set(capabilities.map(({ id }) => id));
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter((id) => id === undefined || !listed.has(id))).toEqual([]);
});

// First letters in brackets, so that these patterns do not find themselves.
const foreign = {
  "a path of somebody's machine": /(^|[\s"'`(=])\/([w]ork|[h]ome\/\w+|[U]sers\/\w+|[r]oot)\//m,
  "a package registry":
    /\b([r]egistry\.(npmjs|yarnpkg)\.|[n]pm\.pkg\.github|[p]ypi\.org|[p]roxy\.golang\.org)/,
};

test.each(Object.entries(foreign))("no tracked file names %s", (_, pattern) => {
  const isText = (path: string): boolean => !/\.(gz|png|zip|iso|qcow2)$/.test(path);
  expect(tracked.filter((path) => isText(path) && pattern.test(read(path)))).toEqual([]);
});
