import type { AddonKind } from "./addons/index.ts";
import { checkFleet } from "./checks/index.ts";
import { completeCluster } from "./complete/cluster.ts";
import { takeDistributions, withDistribution } from "./complete/distributions.ts";
import type { DistributionKind } from "./model/distribution-kind.ts";
import { withHostDefaults, completeHost } from "./complete/host.ts";
import type { LocatedDocument } from "./source/located-document.ts";
import type { Fleet } from "./model/cluster.ts";
import { placeKey } from "./source/positions.ts";
import { printableText } from "./source/printable.ts";
import type { Problem, SourceFile } from "./source/problem.ts";
import { readData } from "./source/read-data.ts";
import { readYaml } from "./source/read-yaml.ts";
import type { WrittenFile } from "./schema/file.ts";
import { checkShape } from "./schema/issues/check-shape.ts";

/** The fleet with what is worth a warning, or everything that is wrong. */
export type ParsedFleet = { fleet: Fleet; warnings: Problem[] } | { problems: Problem[] };

export interface ParseOptions {
  /** What the fleet is called. Left out: the first file. */
  name?: string;
  /** Those that files may name. Left out: none. */
  addons?: readonly AddonKind[];
  /** Those that files may name, beside the ones that are built in. */
  distributions?: readonly DistributionKind[];
}

const noAddons: readonly AddonKind[] = [];

/**
 * Reads cluster files: one, or all of a folder, which then make one fleet.
 * Every mistake is reported at once; what depends on a wrong part is left unchecked.
 */
export function parseFleet(
  source: SourceFile | readonly SourceFile[],
  { name, addons = noAddons, distributions = [] }: ParseOptions = {},
): ParsedFleet {
  const sources = "text" in source ? [source] : source;
  const problems: Problem[] = [];
  const files: { document: LocatedDocument; written: WrittenFile; taken: Taken }[] = [];
  for (const each of sources) {
    const read = readSource(each);
    problems.push(...read.problems);
    if (!read.document) continue;
    const others = takeDistributions(read.document, distributions);
    const shaped = checkShape(read.document, addons);
    problems.push(...others.problems, ...shaped.problems);
    if (shaped.written) files.push({ document: read.document, written: shaped.written, taken: others.taken });
  }

  const hosts = files.flatMap(({ document, written }) =>
    Object.entries(written.hosts).map(([host, fields]) => completeHost(host, fields, document)),
  );
  const hostNames = new Set(files.flatMap(({ document }) => hostNamesOf(document)));
  const onlyHost = hostNames.size === 1 ? [...hostNames][0] : undefined;
  const clusters = files.flatMap(({ document, written, taken }) =>
    Object.entries(written.clusters).map(([cluster, fields]) => {
      const whole = { secrets: written.secrets, backups: written.backups, ...fields };
      const draft = completeCluster(cluster, whole, document, { onlyHost, hosts }, addons);
      return withHostDefaults(withDistribution(draft, taken.get(cluster)), hosts);
    }),
  );
  const isWhole = files.length === sources.length;
  const documents = files.map((file) => file.document);
  const checked = checkFleet({ hosts, clusters, hostNames, isWhole, documents }, addons);
  problems.push(...checked.problems);

  const order = sources.map((each) => each.file);
  if (problems.length > 0) return { problems: sortProblems(problems, order) };
  const fleet: Fleet = {
    file: name ?? order[0] ?? "",
    hosts: hosts.map((draft) => draft.host),
    clusters: clusters.map((draft) => draft.cluster),
  };
  return { fleet, warnings: sortProblems(checked.warnings, order) };
}

/** Problems fit to be shown, each once. Syntax first, since it may cause the rest; then the file's version; then as they stand in the files. */
function sortProblems(problems: readonly Problem[], files: readonly string[]): Problem[] {
  const order = new Map(files.map((file, index) => [file, index]));
  const rank = (problem: Problem): number =>
    problem.code === "SPEC_SYNTAX" ? 0 : problem.code === "SPEC_FILE_VERSION" ? 1 : 2;
  const fileOrder = (problem: Problem): number => order.get(problem.position.file) ?? files.length;
  const clean = problems.map((problem) => ({
    ...problem,
    what: printableText(problem.what),
    next: printableText(problem.next),
  }));
  const sorted = clean.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      fileOrder(a) - fileOrder(b) ||
      (a.position.line ?? 0) - (b.position.line ?? 0) ||
      (a.position.column ?? 0) - (b.position.column ?? 0),
  );
  const seen = new Set<string>();
  return sorted.filter((problem) => {
    const key = `${problem.position.file}:${placeKey(problem.position)}:${problem.code}:${problem.what}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** What a file that was checked says, before it is completed: anchors unfolded, ends of addresses as texts. */
export const writtenData = (source: SourceFile): Record<string, unknown> =>
  readSource(source).document?.value ?? {};

const readSource = (source: SourceFile) =>
  source.data === undefined ? readYaml(source) : readData(source.file, source.data);

type Taken = ReturnType<typeof takeDistributions>["taken"];

/** Names of all hosts a file defines, those with mistakes in them as well. */
const hostNamesOf = (document: LocatedDocument): string[] => document.mapKeys(["hosts"]);
