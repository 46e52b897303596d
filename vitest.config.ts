import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import LongFilesFirst from "./test/support/long-files-first.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Nothing in test/real runs without a peer, and reading those files costs `npm test` seconds.
    exclude: ["**/node_modules/**", ...(process.env["SLIPWAY_PEERS"] === "none" ? ["test/real/**"] : [])],
    globalSetup: "./test/support/own-temp-folder.ts",
    // Against what hangs, not against a busy machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    reporters: ["default", "./test/support/every-file-ran.ts", "./test/support/every-command-held.ts"],
    tags: [
      { name: "peers", description: "needs more than Node and npm: test/support/peers.ts says what" },
      { name: "linux", description: "needs files or a shell that only Linux has" },
      { name: "whole", description: "a sweep: all of it in test:all, a part with `npx vitest run FILE`" },
    ],
    // As threads of one process, a whole run has once ended in a corrupted heap of Node itself.
    pool: "forks",
    // A process of its own costs a file 0.3 s of processor, and 1.7 s when it imports the operations: too much for 400. None
    // needs it to be otherwise: all pass with `--isolate` too, in 461 s instead of 192 s on two cores, and CI shuffles them.
    isolate: false,
    // More than there are cores: some tests wait for processes, for the disk and by the wall.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongFilesFirst },
    // What was compiled once is kept beside the packages: half of the processor time of a single file's run.
    experimental: { fsModuleCache: true },
  },
});
