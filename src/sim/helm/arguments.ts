/** A command line of helm, as far as our client writes one. */
export interface HelmArguments {
  command: string;
  /** What stands without a flag: release, chart. */
  words: string[];
  flags: Map<string, string[]>;
}

const withoutValue = new Set([
  "install",
  "wait",
  "wait-for-jobs",
  "reset-values",
  "take-ownership",
  "force-conflicts",
  "create-namespace",
  "skip-crds",
  "include-crds",
  "all-namespaces",
  "all",
  "ignore-not-found",
  "no-hooks",
  "plain-http",
]);

export function readArguments(args: readonly string[]): HelmArguments {
  const [command = "", ...rest] = args;
  const words: string[] = [];
  const flags = new Map<string, string[]>();
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    if (!word.startsWith("--")) {
      words.push(word);
      continue;
    }
    const [name = "", given] = word.slice(2).split(/=(.*)/s);
    let value = given;
    if (value === undefined && !withoutValue.has(name)) {
      at += 1;
      value = rest[at] ?? "";
    }
    flags.set(name, [...(flags.get(name) ?? []), value ?? "true"]);
  }
  return { command, words, flags };
}

export const flagOf = (args: HelmArguments, name: string): string | undefined => args.flags.get(name)?.at(-1);

export const hasFlag = (args: HelmArguments, name: string): boolean => args.flags.has(name);

/** `300s`, `5m0s`, in milliseconds. */
export function readDuration(text = "5m"): number {
  const units: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000 };
  return [...text.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (units[unit ?? "s"] ?? 0),
    0,
  );
}
