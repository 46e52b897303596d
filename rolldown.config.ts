import { defineConfig } from "rolldown";
import { leaveOutNatives } from "./scripts/leave-out-natives.ts";
import { sbom } from "./scripts/sbom.ts";
import { thirdPartyNotices } from "./scripts/third-party-notices.ts";

/**
 * The program and the library, with everything they need inside: installing Slipway installs nothing else.
 * Every command is a chunk of its own, loaded when it is called for, so that starting stays cheap.
 */
export default defineConfig({
  input: { "cli/main": "src/cli/main.ts", index: "src/index.ts" },
  platform: "node",
  // Also turns `using` into something Node 20 understands.
  transform: {
    target: "node20",
    // CommonJS packages ask for it; an ES module has none.
    define: { __dirname: "import.meta.dirname" },
  },
  // Left alone, a package that cannot be found would be looked for on the user's machine.
  onLog: (level, log, handle) => handle(log.code === "UNRESOLVED_IMPORT" ? "error" : level, log),
  plugins: [leaveOutNatives(), thirdPartyNotices("THIRD-PARTY.txt"), sbom("sbom.cdx.json")],
  output: {
    dir: "dist",
    cleanDir: true,
    format: "esm",
    minify: true,
    entryFileNames: "[name].js",
    // As deep as src/cli/commands, so that a path relative to a command's file leads to the same place.
    chunkFileNames: "cli/chunks/[name]-[hash].js",
  },
});
