// npm run bench: what Slipway adds to the time the hypervisors and nodes need themselves, and what it needs of this
// machine. Overhead is exact, in virtual time; CPU is that of the processes. All figures are kept as JSON beside the
// tables: npm run bench -- --against FILE tells what changed since, --only NAME,NAME measures some parts, --program FILE
// those of another build.
import { realisticLatencies } from "../src/sim/index.ts";
import { compareFigures, renderComparison } from "./compare-figures.ts";
import { readFigures, writeFigures, type Figure } from "./figures.ts";
import { criticalChain, floorMs } from "./floor.ts";
import { benchOptions } from "./options.ts";
import { parts, print, seconds } from "./parts.ts";

const options = benchOptions(process.argv.slice(2));
// So that the datacenters go with it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

/** Measures what was asked for, tables first, then the file that says the same. */
async function measure(): Promise<Figure[]> {
  const latencies = [...new Set(criticalChain)].map(
    (name) => `${name.slice(0, -2)} ${realisticLatencies[name]}`,
  );
  print(`latencies, ms   ${latencies.join(", ")}`);
  print(`floor           ${seconds(floorMs(realisticLatencies))}: the longest chain of these\n`);
  const figures: Figure[] = [];
  for (const [name, part] of Object.entries(parts)) {
    if (options.only?.split(",").includes(name) ?? true) figures.push(...(await part()));
  }
  await writeFigures(options.out, figures);
  print(`\nkept in ${options.out}`);
  return figures;
}

const figures = options.with === undefined ? await measure() : await readFigures(options.with);
if (options.against !== undefined) {
  const rows = compareFigures(await readFigures(options.against), figures);
  print(`\n${renderComparison(rows)}`);
  if (rows.some(({ verdict }) => verdict === "worse")) process.exitCode = 1;
}
