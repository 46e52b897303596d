import { appendFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { hostKeyChanged, hostKeyRevoked, hostUnknown, knownHostsUnreadable } from "../errors.ts";
import {
  hostKeyAlgorithms,
  judgeHostKey,
  keyFingerprint,
  knownHostLine,
  knownName,
  isVouchedFor,
  parseKnownHosts,
} from "./known-hosts.ts";

/** How a host proves that it is the one that is meant. */
export interface HostTrust {
  /** known_hosts files, as OpenSSH has them; one that is missing counts as empty. */
  files: readonly string[];
  /** More such lines, known from elsewhere: a host key that was read on the machine's console. */
  lines?: string;
  /** Accepts a host of which no key is known. A key that has changed is refused all the same. */
  trustOnFirstUse?: { writeTo?: string } | undefined;
  /** `SHA256:…`: this key and no other, whatever the files say. */
  fingerprint?: string;
}

interface Place {
  host: string;
  port: number;
  user: string;
}

/** Judges host keys for one connection. */
export interface HostCheck {
  /** In the order in which to ask for them. */
  algorithms: string[];
  /** Returns normally only for a key that is to be trusted. */
  check(key: Buffer): Promise<void>;
}

export async function hostCheck(trust: HostTrust, host: Place): Promise<HostCheck> {
  const texts = await Promise.all(trust.files.map(readKnownHosts));
  const entries = [
    ...texts.flatMap((text, index) => parseKnownHosts(text, trust.files[index])),
    ...parseKnownHosts(trust.lines ?? ""),
  ];
  const name = knownName(host);
  const file = trust.trustOnFirstUse?.writeTo ?? trust.files[0] ?? "~/.ssh/known_hosts";
  return {
    algorithms: hostKeyAlgorithms(entries, name),
    check: async (key) => {
      const fingerprint = keyFingerprint(key);
      if (trust.fingerprint === fingerprint) return;
      if (trust.fingerprint !== undefined)
        throw hostKeyChanged({ ...host, fingerprint, known: [trust.fingerprint], where: "as written", name });
      const verdict = judgeHostKey(entries, name, key);
      if (verdict.is === "known") return;
      if (verdict.is === "revoked") throw hostKeyRevoked({ ...host, fingerprint, where: verdict.by.where });
      const line = knownHostLine(name, key);
      if (verdict.is === "changed") {
        const [first] = verdict.known;
        const known = verdict.known.map((entry) => keyFingerprint(entry.key));
        const place = { where: first?.where ?? file, file: first?.file };
        throw hostKeyChanged({ ...host, ...place, fingerprint, known, name });
      }
      if (!trust.trustOnFirstUse) {
        const hasAuthority = texts.some((text) => isVouchedFor(text, name));
        throw hostUnknown({ ...host, fingerprint, line, file, hasAuthority });
      }
      if (trust.trustOnFirstUse.writeTo !== undefined) await remember(trust.trustOnFirstUse.writeTo, line);
    },
  };
}

async function readKnownHosts(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw knownHostsUnreadable({ file, cause });
  }
}

/** Added as one short write, so that several connections at once do not mix their lines. */
async function remember(file: string, line: string): Promise<void> {
  const old = await readFile(file, "utf8").catch(() => "");
  if (old.split("\n").includes(line)) return;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await appendFile(file, `${old === "" || old.endsWith("\n") ? "" : "\n"}${line}\n`, { mode: 0o600 });
}
