// Adds what npm leaves out of package-lock.json when it was written with a registry that offers native packages
// for few platforms only: `npm ci` then refuses the lockfile, although none of the missing ones would be installed.
// Run after every change of a dependency: npx tsx scripts/complete-lockfile.ts

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { missingPackages, type Lockfile } from "./missing-packages.ts";

const path = resolve(import.meta.dirname, "../package-lock.json");
const lockfile = JSON.parse(readFileSync(path, "utf8")) as Lockfile;

/** `@rolldown/binding-linux-arm64-musl` says where it runs; npm leaves out what does not run here. */
function platformOf(name: string): { os?: string[]; cpu: string[]; libc?: string[] } {
  const [os = "", cpu = "", libc = ""] = (name.split("/")[1] ?? "").replace("binding-", "").split("-");
  if (os === "wasm32") return { cpu: ["wasm32"] };
  if (os !== "linux") return { os: [os], cpu: [cpu] };
  return { os: [os], cpu: [cpu], libc: [libc.startsWith("musl") ? "musl" : "glibc"] };
}

const missing = missingPackages(lockfile);
for (const { place, name, version } of missing) {
  lockfile.packages[place] = { version, ...platformOf(name), dev: true, optional: true };
}
const sorted = Object.entries(lockfile.packages).toSorted(([a], [b]) => a.localeCompare(b, "en"));
lockfile.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lockfile, null, 2)}\n`);
console.log(`${missing.length} packages of other platforms added`);
