/** Writes what goes with the program into dist/share/, laid out as below /usr/local: its manual, and completions for shells. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { manPages } from "./man-pages.ts";

const root = path.resolve(import.meta.dirname, "..");
const share = path.join(root, "dist/share");
/** Of the commit it is made from, else the day Slipway began. */
const { committedAt = "2026-11-01" } = readJson("dist/build.json") as { committedAt?: string };
const { version } = readJson("package.json") as { version: string };

/** Where each shell looks by itself. */
const completions = {
  bash: "bash-completion/completions/slipway",
  zsh: "zsh/site-functions/_slipway",
  fish: "fish/vendor_completions.d/slipway.fish",
};

rmSync(share, { recursive: true, force: true });
for (const [shell, name] of Object.entries(completions))
  write(
    name,
    execFileSync(process.execPath, [path.join(root, "bin/slipway.js"), "completion", shell], {
      encoding: "utf8",
    }),
  );
const pages = Object.entries(manPages(version, committedAt.slice(0, 10)));
// The page of the program last: by it a later run sees that all was written.
for (const [name, page] of pages.toReversed()) write(`man/man1/${name}`, page);

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(path.join(root, name), "utf8"));
}

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(share, name)), { recursive: true });
  writeFileSync(path.join(share, name), text);
}
