import { matchesPatterns } from "./patterns.ts";

/** What a user's ~/.ssh/config says about one host, as far as it matters for reaching it. */
export interface SshConfig {
  hostName?: string | undefined;
  user?: string | undefined;
  port?: number | undefined;
  identityFiles: string[];
  /** Hosts to go through, the nearest first. */
  jumps: { host: string; user?: string | undefined; port?: number | undefined }[];
  knownHostsFiles: string[];
  certificateFiles: string[];
  /** Of a host that was never seen before. */
  acceptsNew?: true | undefined;
  /** A program of the user's own that leads there. */
  proxyCommand?: string | undefined;
  /** Lines that may have a say but are not read here (`Include`, `Match exec`): to be told, not hidden. */
  skipped: string[];
}

interface Line {
  keyword: string;
  values: string[];
  text: string;
}

/** As OpenSSH reads it: the first value found wins, key files are collected. `home` stands for `~`. */
export function sshConfigFor(text: string, host: string, home: string): SshConfig {
  const found: SshConfig = {
    identityFiles: [],
    jumps: [],
    knownHostsFiles: [],
    certificateFiles: [],
    skipped: [],
  };
  const first = new Map<string, string[]>();
  let applies = true;
  for (const line of text.split("\n").flatMap(readLine)) {
    const { keyword, values } = line;
    if (keyword === "host") applies = matchesPatterns(values, host);
    else if (keyword === "match") applies = isMatch(line, host, found.skipped);
    else if (!applies) continue;
    else if (keyword === "include") found.skipped.push(line.text);
    else if (keyword === "identityfile") found.identityFiles.push(...values);
    else if (keyword === "certificatefile") found.certificateFiles.push(...values);
    else if (!first.has(keyword)) first.set(keyword, values);
  }
  const value = (keyword: string): string | undefined => first.get(keyword)?.[0];
  const real = value("hostname")?.replaceAll("%h", host);
  const [user, port, jump] = [value("user"), value("port"), value("proxyjump")];
  const isAccepting = ["accept-new", "no", "off"].includes(value("stricthostkeychecking") ?? "");
  const command = first.get("proxycommand")?.join(" ");
  const path = (file: string): string => expand(file, { home, host: real ?? host, user });
  return {
    ...found,
    hostName: real,
    user,
    port: port === undefined ? undefined : Number(port),
    identityFiles: found.identityFiles.filter((file) => file !== "none").map(path),
    certificateFiles: found.certificateFiles.filter((file) => file !== "none").map(path),
    acceptsNew: isAccepting ? true : undefined,
    proxyCommand: command === "none" ? undefined : command,
    jumps: jump === undefined || jump === "none" ? [] : parseJumps(jump),
    knownHostsFiles: (first.get("userknownhostsfile") ?? []).filter((file) => file !== "none").map(path),
  };
}

/** `admin@gate:2222,inner` or `ssh://admin@gate:2222`, the nearest first. */
export const parseJumps = (text: string): SshConfig["jumps"] =>
  text.split(",").map((each) => {
    const [, user, bracketed, plain = "", port] =
      /^(?:ssh:\/\/)?(?:(.*)@)?(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(each.trim()) ?? [];
    return {
      host: bracketed ?? (plain === "" ? each.trim() : plain),
      user,
      port: port === undefined ? undefined : Number(port),
    };
  });

function readLine(text: string): Line[] {
  const [, keyword, rest = ""] = /^\s*(\w+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(text) ?? [];
  if (keyword === undefined) return [];
  const values = [...rest.matchAll(/"([^"]*)"|(#.*)|(\S+)/g)].flatMap(([, quoted, comment, bare]) =>
    comment === undefined ? [quoted ?? bare ?? ""] : [],
  );
  return values.length === 0 ? [] : [{ keyword: keyword.toLowerCase(), values, text: text.trim() }];
}

function isMatch({ values, text }: Line, host: string, skipped: string[]): boolean {
  const [criterion = "", patterns = ""] = values;
  if (criterion.toLowerCase() === "all") return true;
  if (values.length === 2 && /^(original)?host$/i.test(criterion)) {
    return matchesPatterns(patterns.split(","), host);
  }
  skipped.push(text);
  return false;
}

function expand(file: string, known: { home: string; host: string; user: string | undefined }): string {
  const tokens: Record<string, string | undefined> = {
    h: known.host,
    r: known.user,
    d: known.home,
    "%": "%",
  };
  return file
    .replace(/^~(?=\/|$)/, known.home)
    .replace(/%(.)/g, (all, letter: string) => tokens[letter] ?? all);
}
