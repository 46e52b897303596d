import path from "node:path";
import { defineConfig } from "rolldown";
import { buildFacts } from "./scripts/build-facts.ts";
import { entries } from "./scripts/entries.ts";
import { leaveOutNatives } from "./scripts/leave-out-natives.ts";
import { sbom } from "./scripts/sbom.ts";
import { thirdPartyNotices } from "./scripts/third-party-notices.ts";

/** Modules of ours by their paths below src, as far as written here, and packages with all of theirs. */
const loadedTogether = (own: string[], packages: string[]): RegExp =>
  new RegExp(`/src/(${own.join("|")})|/node_modules/(${packages.join("|")})/`);

const startModules = loadedTogether(
  [
    "errors/",
    "lib/(call-trace|text/(visible-text|redaction|hide-texts)|time/standing-time)\\.ts",
    "plan/(step-id|resource)\\.ts",
    "exports/graph/model\\.ts",
    "cli/(options|errors|shell|questions)\\.ts",
    "cli/views/text/(screen|style)\\.ts",
    "world/version\\.ts",
  ],
  ["commander"],
);
/** How problems look is left out: it needs the tables of Unicode, and most files have none. */
const specModules = loadedTogether(
  [
    "spec/(?!source/format-problems)",
    "lib/(given|memoize)\\.ts",
    "addons/(list|index|[^/]+/(index|options|checks|versions))\\.ts",
    "addons/common/(definition|git-credentials|options-of|proxmox-only|storage-fields)\\.ts",
    "operations/(errors|fleet/(load-fleet|guest-files|errors)|planning/secrets-in-git)\\.ts",
    "images/(errors|image-file|unpacking)\\.ts",
    "secrets/(errors|files/(in-git|file-forms))\\.ts",
    "world/(git|run-program)\\.ts",
    "cli/input/(load-or-explain|read-input)\\.ts",
  ],
  ["zod", "yaml", "ipaddr\\.js"],
);
const ownModules = /^(?!.*\/node_modules\/).*\/src\//;

/**
 * The program and the library, with everything they need inside: installing Slipway installs nothing else.
 * Every command is a chunk of its own, loaded when it is called for, so that starting stays cheap.
 */
export default defineConfig({
  input: { "cli/program": "src/cli/program.ts", ...entries },
  platform: "node",
  // Needed where modules are put into files one by one; the doors export what they did before.
  preserveEntrySignatures: "allow-extension",
  // The same code as modules: a half of it is left out, and nothing runs before it is called.
  resolve: { alias: { yaml: path.resolve("node_modules/yaml/browser/index.js") } },
  // Also turns `using` into something Node 20 understands.
  transform: {
    target: "node20",
    // CommonJS packages ask for it; an ES module has none.
    define: { __dirname: "import.meta.dirname" },
  },
  // Left alone, a package that cannot be found would be looked for on the user's machine.
  onLog: (level, log, handle) => handle(log.code === "UNRESOLVED_IMPORT" ? "error" : level, log),
  // No module of ours does anything by being loaded, so that a command brings only what it calls, also through the
  // doors of whole folders.
  treeshake: { moduleSideEffects: [{ test: ownModules, sideEffects: false }] },
  plugins: [
    leaveOutNatives(),
    thirdPartyNotices("THIRD-PARTY.txt"),
    sbom("sbom.cdx.json"),
    buildFacts("build.json"),
  ],
  output: {
    dir: "dist",
    cleanDir: true,
    format: "esm",
    minify: true,
    entryFileNames: "[name].js",
    // As deep as src/cli/commands, so that a path relative to a command's file leads to the same place.
    chunkFileNames: "cli/chunks/[name]-[hash].js",
    // Modules that are loaded together at every start, and for every look at a cluster file, in one file each: to find and
    // read twenty small ones takes longer than to read what is in them. What they import beside these stays where it is.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: "start", test: startModules, priority: 2 },
        { name: "spec", test: specModules, priority: 1 },
      ],
    },
  },
});
