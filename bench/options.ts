import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Figures of an earlier run, to hold this one against. */
  against?: string;
  /** Figures of a run that is over: nothing is measured, the two are compared. */
  with?: string;
  /** Where this run's figures go. */
  out: string;
  /** Only figures whose name begins like this. */
  only?: string;
}

/** `npm run bench -- --against bench/out/before.json`. */
export function benchOptions(argv: string[]): BenchOptions {
  const { values } = parseArgs({
    args: argv,
    options: {
      against: { type: "string" },
      with: { type: "string" },
      out: { type: "string", default: "bench/out/figures.json" },
      only: { type: "string" },
    },
  });
  if (values.with !== undefined && values.against === undefined)
    throw new Error("--with FILE needs --against FILE, the earlier of the two");
  return { ...values, out: values.out };
}
