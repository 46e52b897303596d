#!/usr/bin/env node
// Starts the bundled program. The version is answered here, before anything else is loaded.

import { existsSync, readFileSync } from "node:fs";

const program = new URL("../dist/cli/program.js", import.meta.url);
const [first] = process.argv.slice(2);

if (first === "--version" || first === "-V") {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${version}\n`);
} else if (existsSync(program)) {
  // A run computes for a second or two in all: what the V8 of Node 20 would compile for speed meanwhile costs more than it
  // saves. Later ones have a quicker compiler for that, and do not know the flag.
  if (process.versions.v8.startsWith("11."))
    (await import("node:v8")).setFlagsFromString("--interrupt-budget=500000");
  const { main } = await import(program.href);
  await main(process.argv.slice(2));
} else {
  process.stderr.write(
    "✗ Cannot start Slipway\n  why   it has not been built in this checkout\n  next  npm run build\n",
  );
  process.exitCode = 1;
}
