import { checkFleet } from "./checks/index.ts";
import { completeCluster } from "./complete-cluster.ts";
import { shapedByHosts } from "./by-hosts.ts";
import { completeHost } from "./complete-hosts.ts";
import type { LocatedDocument } from "./located-document.ts";
import type { Fleet } from "./model.ts";
import { type Problem, type SourceFile, sortProblems } from "./problem.ts";
import { readYaml } from "./read-yaml.ts";
import type { WrittenFile } from "./schema.ts";
import { checkShape } from "./shape.ts";

/** The fleet with what is worth a warning, or everything that is wrong. */
export type ParsedFleet = { fleet: Fleet; warnings: Problem[] } | { problems: Problem[] };

/**
 * Reads cluster files: one, or all of a folder, which then make one fleet called `name`.
 * Every mistake is reported at once; what depends on a wrong part is left unchecked.
 */
export function parseFleet(source: SourceFile | readonly SourceFile[], name?: string): ParsedFleet {
  const sources = "text" in source ? [source] : source;
  const problems: Problem[] = [];
  const files: { document: LocatedDocument; written: WrittenFile }[] = [];
  for (const each of sources) {
    const read = readYaml(each);
    problems.push(...read.problems);
    if (!read.document) continue;
    const shaped = checkShape(read.document);
    problems.push(...shaped.problems);
    if (shaped.written) files.push({ document: read.document, written: shaped.written });
  }

  const hosts = files.flatMap(({ document, written }) =>
    Object.entries(written.hosts).map(([host, fields]) => completeHost(host, fields, document)),
  );
  const hostNames = new Set(files.flatMap(({ document }) => hostNamesOf(document)));
  const onlyHost = hostNames.size === 1 ? [...hostNames][0] : undefined;
  const clusters = files.flatMap(({ document, written }) =>
    Object.entries(written.clusters).map(([cluster, fields]) =>
      shapedByHosts(
        completeCluster(cluster, { secrets: written.secrets, ...fields }, document, onlyHost),
        hosts,
      ),
    ),
  );
  const isWhole = files.length === sources.length;
  const checked = checkFleet({
    hosts,
    clusters,
    hostNames,
    isWhole,
    documents: files.map((file) => file.document),
  });
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

/** Names of all hosts a file defines, those with mistakes in them as well. */
const hostNamesOf = (document: LocatedDocument): string[] => document.mapKeys(["hosts"]);
