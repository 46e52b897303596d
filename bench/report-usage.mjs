// Loaded before the program it measures: at its end, one line on stderr with time, CPU and peak memory.
import { writeSync } from "node:fs";

process.on("exit", () => {
  const { maxRSS } = process.resourceUsage();
  const { user, system } = process.cpuUsage();
  const usage = { tookMs: performance.now(), cpuMs: (user + system) / 1000, peakMiB: maxRSS / 1024 };
  writeSync(2, `${JSON.stringify(usage)}\n`);
});
