// Loaded before the program it measures: at its end, one line on stderr with time and peak memory.
import { writeSync } from "node:fs";

process.on("exit", () => {
  const { maxRSS } = process.resourceUsage();
  writeSync(2, `${JSON.stringify({ tookMs: performance.now(), peakMiB: maxRSS / 1024 })}\n`);
});
