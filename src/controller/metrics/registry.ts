/** One line of a gauge: the values of its labels, in their declared order, and a number. */
export type Sample = readonly [labels: readonly string[], value: number];

export interface Counter {
  add(labels: readonly string[], by?: number): void;
}

export interface Histogram {
  observe(labels: readonly string[], value: number): void;
}

export interface MetricDeclaration {
  /** With its base unit at the end, as Prometheus' own rules say: `_seconds`, `_bytes`, `_total`. */
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  labels: readonly string[];
  /** Upper ends, rising, without the infinite one; of a histogram only. */
  buckets?: readonly number[];
}

type Write = () => string[];

/**
 * Metrics of this process, written as Prometheus' text format 0.0.4. Counters and histograms are kept here; a gauge is asked
 * for when it is written, so that what is gone leaves no line behind.
 */
export class Registry {
  readonly #families = new Map<string, Write>();

  counter(declared: MetricDeclaration): Counter {
    const values = new Map<string, { labels: readonly string[]; value: number }>();
    this.#add(declared, () =>
      [...values.values()].map(({ labels, value }) => line(declared.name, declared.labels, labels, value)),
    );
    return {
      add(labels, by = 1) {
        const key = keyOf(labels);
        const found = values.get(key);
        if (found) found.value += by;
        else values.set(key, { labels, value: by });
      },
    };
  }

  gauge(declared: MetricDeclaration, read: () => readonly Sample[]): void {
    this.#add(declared, () =>
      read().map(([labels, value]) => line(declared.name, declared.labels, labels, value)),
    );
  }

  histogram(declared: MetricDeclaration): Histogram {
    const { name, labels: names, buckets = [] } = declared;
    const series = new Map<string, { labels: readonly string[]; counts: number[]; sum: number }>();
    this.#add(declared, () =>
      [...series.values()].flatMap((each) => histogramLines(name, names, buckets, each)),
    );
    return {
      observe(labels, value) {
        const key = keyOf(labels);
        const found = series.get(key) ?? { labels, counts: [...buckets, 0].map(() => 0), sum: 0 };
        series.set(key, found);
        const place = buckets.findIndex((most) => value <= most);
        const at = place === -1 ? buckets.length : place;
        found.counts[at] = (found.counts[at] ?? 0) + 1;
        found.sum += value;
      },
    };
  }

  /** All of it; a family without a line is left out. */
  text(): string {
    return [...this.#families.values()].map((write) => write().join("")).join("");
  }

  #add({ name, type, help }: MetricDeclaration, write: Write): void {
    if (this.#families.has(name)) throw new Error(`metric ${name} is declared twice`);
    const head = `# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}\n# TYPE ${name} ${type}\n`;
    this.#families.set(name, () => {
      const lines = write();
      return lines.length === 0 ? [] : [head, ...lines];
    });
  }
}

function histogramLines(
  name: string,
  names: readonly string[],
  buckets: readonly number[],
  { labels, counts, sum }: { labels: readonly string[]; counts: readonly number[]; sum: number },
): string[] {
  const withEnd = [...names, "le"];
  let below = 0;
  const lines = counts.map((count, at) => {
    below += count;
    return line(`${name}_bucket`, withEnd, [...labels, numberText(buckets[at] ?? Infinity)], below);
  });
  return [...lines, line(`${name}_sum`, names, labels, sum), line(`${name}_count`, names, labels, below)];
}

function line(name: string, names: readonly string[], values: readonly string[], value: number): string {
  const labels = names.map((label, at) => `${label}="${(values[at] ?? "").replace(/["\\\n]/g, escaped)}"`);
  return `${name}${labels.length === 0 ? "" : `{${labels.join(",")}}`} ${numberText(value)}\n`;
}

const keyOf = (labels: readonly string[]): string => labels.join("\0");

const escaped = (character: string): string => (character === "\n" ? String.raw`\n` : `\\${character}`);

const numberText = (value: number): string =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value);

/** How often each set of values occurs. */
export function counted(all: readonly (readonly string[])[]): Sample[] {
  const counts = new Map<string, { labels: readonly string[]; count: number }>();
  for (const labels of all) {
    const key = keyOf(labels);
    counts.set(key, { labels, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].map(({ labels, count }) => [labels, count] as const);
}
