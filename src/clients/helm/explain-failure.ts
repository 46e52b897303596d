import type { SlipwayError } from "../../errors/index.ts";
import {
  chartNotFound,
  chartUnreachable,
  chartUntrusted,
  clusterUnreachable,
  fieldsOwnedByOthers,
  helmFailed,
  hookFailed,
  ownedByOthers,
  releaseNotReady,
  releasePending,
  renderFailed,
  valuesRefused,
  webhookFailed,
} from "./errors.ts";
import type { ChartRef } from "./chart/chart.ts";

/** What helm was asked for when it failed. */
export interface Tried {
  /** After "Cannot": `list releases`. */
  what: string;
  release?: { name: string; namespace: string };
  chart?: ChartRef;
}

type Explain = (why: string, tried: Tried) => SlipwayError;

const about = (tried: Tried): string => tried.release?.name ?? "";

const chartOf = (tried: Tried): ChartRef => tried.chart ?? { source: { path: "?" } };

/** The first that fits is it. Helm has one exit code for everything, so there is only its text. */
const explanations: [RegExp, Explain][] = [
  [
    /another operation \(install\/upgrade\/rollback\) is in progress/,
    (_why, tried) => releasePending({ name: about(tried), namespace: tried.release?.namespace ?? "" }),
  ],
  [
    /cannot be imported into the current release/,
    (why, tried) => ownedByOthers({ release: about(tried), why }),
  ],
  [
    /conflict occurred while applying|Apply failed with \d+ conflict/,
    (why, tried) => fieldsOwnedByOthers({ release: about(tried), why }),
  ],
  // Before all that speaks of connections: it quotes one that failed, but between others.
  [/failed calling webhook/, (why, tried) => webhookFailed({ release: about(tried), why })],
  [/kubernetes cluster unreachable/i, (why, tried) => clusterUnreachable({ what: tried.what, why })],
  [
    /x509:|certificate signed by unknown authority|tls: failed to verify|server gave HTTP response to HTTPS client/,
    (why, tried) =>
      tried.chart && !tried.release
        ? chartUntrusted({ chart: tried.chart, why })
        : helmFailed({ what: tried.what, why }),
  ],
  [
    /chart ".*" (version ".*" )?not found|: not found$|no chart (name|version) found|invalid chart reference|does not exist in repository/m,
    (why, tried) =>
      tried.chart && !tried.release
        ? chartNotFound({ chart: tried.chart, why })
        : helmFailed({ what: tried.what, why }),
  ],
  [
    /cannot be reached|dial tcp|no such host|connection refused|connection reset|i\/o timeout|FetchReference|failed to fetch|response status code 5\d\d|failed to do request|\bEOF$/,
    (why, tried) =>
      tried.release
        ? clusterUnreachable({ what: tried.what, why })
        : chartUnreachable({ chart: chartOf(tried), why }),
  ],
  [
    /don't meet the specifications of the schema|failed to parse -:/,
    (why, tried) => valuesRefused({ release: about(tried), why }),
  ],
  [
    /execution error at|executing ".*" at|YAML parse error on|parse error at|incompatible with Kubernetes|template: .*:\d+|[\w./-]+\.(yaml|tpl):\d+:\d+/,
    (why, tried) => renderFailed({ release: about(tried), why }),
  ],
  [
    /(pre|post)-(install|upgrade|delete|rollback) hooks? failed|failed (pre|post)-(install|upgrade|delete|rollback)|warning: Hook|hook .* failed/i,
    (why, tried) => hookFailed({ release: about(tried), why }),
  ],
  [
    /context deadline exceeded|timed out waiting|not ready\. status:|resource .* not ready|progress deadline/i,
    (why, tried) => releaseNotReady({ release: about(tried), why }),
  ],
];

/** Turns what helm wrote to stderr into one of our errors. `stderr` must be free of secrets. */
export function explainFailure(stderr: string, tried: Tried): SlipwayError {
  const why = essence(stderr);
  const found = explanations.find(([pattern]) => pattern.test(why));
  return found ? found[1](why, tried) : helmFailed({ what: tried.what, why });
}

/** The message without logs, prefixes and advice for people who typed the command. */
function essence(stderr: string): string {
  const at = stderr.lastIndexOf("Error: ");
  const message = at === -1 ? stderr : stderr.slice(at + "Error: ".length);
  const lines = message
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^Use --debug flag|^(level|time)=|^WARNING:/.test(line));
  const text = lines
    .join(" ")
    .replace(/^(INSTALLATION|UPGRADE|UNINSTALLATION) FAILED: /, "")
    .slice(0, mostCharacters);
  return text === "" ? "helm failed without saying why" : text;
}

const mostCharacters = 600;
