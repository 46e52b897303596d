import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    pool: "threads",
    // One core is left idle by default, which is half of a small machine.
    maxWorkers: availableParallelism(),
  },
});
