import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Figures of an earlier run, to hold this one against. */
  against?: string;
  /** Figures of a run that is over: nothing is measured, the two are compared. */
  with?: string;
  /** Where this run's figures go. */
  out: string;
  /** Only these parts, with commas between them; `npm run bench -- fleet` says the same. */
  only?: string;
  /** Another build to be measured as this one is, for the parts that run the program: start, plan, work. */
  program?: string;
}

/** `npm run bench -- --against bench/out/before.json`. */
export function benchOptions(argv: string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      against: { type: "string" },
      with: { type: "string" },
      out: { type: "string", default: "bench/out/figures.json" },
      only: { type: "string" },
      program: { type: "string" },
    },
  });
  if (values.with !== undefined && values.against === undefined)
    throw new Error("--with FILE needs --against FILE, the earlier of the two");
  const only = values.only ?? (positionals.length > 0 ? positionals.join() : undefined);
  return { ...values, ...(only !== undefined && { only }), out: values.out };
}
