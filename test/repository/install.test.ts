import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packIntoFile } from "../support/packed-package.ts";

const linux = { tags: ["linux", "whole"] };
const { version } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, "../../package.json"), "utf8"),
) as { version: string };

/** Somebody's computer: Node and npm, an empty home, an empty cache, and no registry within reach. */
let home = "";
let packed = "";

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), "slipway-install-"));
  mkdirSync(path.join(home, "empty"));
  packed = packIntoFile(home);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const env = () => ({
  PATH: [path.join(home, "global/bin"), path.dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
  HOME: home,
  npm_config_cache: path.join(home, "cache"),
  npm_config_prefix: path.join(home, "global"),
  npm_config_registry: "http://127.0.0.1:9/",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
});

const type = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: path.join(home, "empty"), env: env(), encoding: "utf8", stdio: "pipe" });

test(
  "npm install --global takes the packed file, asks for nothing else, and the program rehearses",
  linux,
  () => {
    type("npm", "install", "--global", packed);
    expect(readdirSync(path.join(home, "global/lib/node_modules"))).toEqual(["slipway"]);
    expect(existsSync(path.join(home, "global/lib/node_modules/slipway/node_modules"))).toBe(false);
    expect(type("slipway", "--version")).toBe(`${version}\n`);
    type("slipway", "init", "--example", "quickstart");
    expect(type("slipway", "rehearse", "--plain")).toContain("quickstart is rehearsed, 12 of 12 steps");
  },
);

test("npx runs the packed file from an empty folder with an empty cache", linux, () => {
  rmSync(path.join(home, "cache"), { recursive: true, force: true });
  rmSync(path.join(home, "global"), { recursive: true, force: true });
  expect(type("npx", "--yes", `--package=${packed}`, "--", "slipway", "--version")).toBe(`${version}\n`);
});
