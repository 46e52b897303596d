import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    reporters: ["default", "./test/support/every-file-ran.ts"],
    // As threads of one process, a whole run has once ended in a corrupted heap of Node itself.
    pool: "forks",
    // Nothing here changes what others import, and reading every module anew for each file took a fifth of the time.
    isolate: false,
    // One core is left idle by default, which is half of a small machine.
    maxWorkers: availableParallelism(),
  },
});
