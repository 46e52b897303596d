import { messageIn } from "./journal-line.ts";
import { journalRules, type JournalCode, type JournalRule } from "./journal-rules.ts";

export type { JournalCode } from "./journal-rules.ts";

/** Why K3s does not come up, as far as its journal tells. */
export interface JournalReason {
  code: JournalCode;
  /** What the journal says, without time and level. */
  line: string;
  /** It goes on nevertheless, only slower. */
  isWarning?: true;
  /** K3s tries again by itself, and may well succeed: no reason to give up yet. */
  isPassing?: true;
  /** What it names: keys, addresses, hashes, ports, names. */
  details: JournalDetails;
}

export type JournalDetails = Partial<
  Record<
    | "url"
    | "said"
    | "ours"
    | "theirs"
    | "keys"
    | "files"
    | "found"
    | "name"
    | "version"
    | "address"
    | "port"
    | "controller",
    string
  >
>;

/**
 * The gravest thing the last start says, or the one before where the last has only begun; undefined when nothing of it is
 * known to be wrong. What stands before K3s was last up is history.
 */
export function reasonIn(lines: readonly string[]): JournalReason | undefined {
  const messages = lines.map(messageIn);
  const current = messages.slice(messages.findLastIndex((message) => isUp.test(message)) + 1);
  const starts = startsIn(current).slice(-2).toReversed();
  const reasons = starts.flatMap((start) => reasonsIn(start).toReversed());
  return (
    reasons.find(({ isWarning, isPassing }) => !isWarning && !isPassing) ??
    reasons.find(({ isPassing }) => isPassing) ??
    reasons[0]
  );
}

const isUp = /^k3s (agent )?is up and running$/;
const isStart = /^Starting k3s (agent )?v\d/;

function startsIn(messages: string[]): string[][] {
  const starts: string[][] = [[]];
  for (const message of messages) {
    if (isStart.test(message)) starts.push([]);
    starts.at(-1)?.push(message);
  }
  return starts.filter((start) => start.length > 0);
}

function reasonsIn(messages: string[]): JournalReason[] {
  const heard = messages.findLastIndex((message) => hasServer.test(message));
  return messages.flatMap((message, index) => {
    const rule = journalRules.find(({ fits, unless }) => fits.test(message) && !unless?.test(message));
    if (!rule || (index < heard && aboutServer.has(rule.code))) return [];
    return [reasonOf(rule, message, messages)];
  });
}

/** It starts these only with what the server has told it: what it said about that server before is over. */
const hasServer = /^(Running containerd |containerd is now running$|Running kubelet )/;
const aboutServer: ReadonlySet<JournalCode> = new Set(["K3S_SERVER_UNREACHABLE", "K3S_SERVER_NOT_READY"]);

function reasonOf(rule: JournalRule, message: string, messages: string[]): JournalReason {
  const details: Record<string, string> = {};
  const keep = (groups: Record<string, string | undefined> | undefined): void => {
    for (const [name, value] of Object.entries(groups ?? {})) if (value !== undefined) details[name] = value;
  };
  keep(rule.fits.exec(message)?.groups);
  if (rule.gathers) keep(gathered(rule.gathers, messages));
  return {
    code: rule.code,
    line: message.split("\n")[0]?.slice(0, longestLine) ?? "",
    ...(rule.isWarning && { isWarning: true }),
    ...(rule.isPassing && { isPassing: true }),
    details,
  };
}

const longestLine = 400;

/** Each thing once, in the order told. */
function gathered(pattern: RegExp, messages: string[]): Record<string, string> {
  const found = new Map<string, Set<string>>();
  for (const message of messages)
    for (const [name, value] of Object.entries(pattern.exec(message)?.groups ?? {}))
      found.set(name, (found.get(name) ?? new Set()).add(settingName(value)));
  return Object.fromEntries([...found].map(([name, values]) => [name, [...values].join(", ")]));
}

/** K3s names some settings by the place where it keeps them: `ClusterIPRanges.slice[0].IP.slice[13]`. */
const settingPlaces: Record<string, string> = {
  ClusterIPRange: "cluster-cidr",
  ClusterIPRanges: "cluster-cidr",
  ServiceIPRange: "service-cidr",
  ServiceIPRanges: "service-cidr",
  ClusterDNS: "cluster-dns",
  ClusterDNSs: "cluster-dns",
};

const settingName = (written: string): string => settingPlaces[/^\w+/.exec(written)?.[0] ?? ""] ?? written;
