import { createHash, createHmac } from "node:crypto";
import { matchesPatterns } from "./patterns.ts";
import { readSshString } from "../../../lib/index.ts";

/** One line of a known_hosts file. */
export interface KnownHost {
  names: string;
  type: string;
  key: Buffer;
  isRevoked: boolean;
  /** File and line, for a person to look at. */
  where: string;
  file?: string | undefined;
}

export type Verdict =
  | { is: "known" }
  | { is: "unknown" }
  | { is: "changed"; known: KnownHost[] }
  | { is: "revoked"; by: KnownHost };

/** Reads what OpenSSH writes. Lines about authorities are left out: nobody here can check host certificates. */
export function parseKnownHosts(text: string, file?: string): KnownHost[] {
  return text.split("\n").flatMap((line, index) => {
    const words = line.trim().split(/\s+/);
    const marker = words[0]?.startsWith("@") ? words.shift() : undefined;
    const [names = "", type = "", key = ""] = words;
    if (names === "" || names.startsWith("#") || key === "" || marker === "@cert-authority") return [];
    return [
      {
        names,
        type,
        key: Buffer.from(key, "base64"),
        isRevoked: marker === "@revoked",
        where: `${file ?? "given keys"}:${index + 1}`,
        file,
      },
    ];
  });
}

/** Whether an authority is named for this host, whose certificates nobody here can check. */
export const isVouchedFor = (text: string, name: string): boolean =>
  text.split("\n").some((line) => {
    const [marker, names = ""] = line.trim().split(/\s+/);
    return marker === "@cert-authority" && isAbout({ names }, name);
  });

/** Whether a key of this host is known. */
export const isKnownByKey = (text: string, name: string): boolean =>
  parseKnownHosts(text).some((entry) => !entry.isRevoked && isAbout(entry, name));

/** As known_hosts names it: the port only where it is not the usual one. */
export const knownName = ({ host, port }: { host: string; port: number }): string =>
  port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;

/** Any other key than a known one counts as changed, of whatever type: who stands in between may choose the type. */
export function judgeHostKey(entries: KnownHost[], name: string, key: Buffer): Verdict {
  const about = entries.filter((entry) => isAbout(entry, name));
  const revoked = about.find((entry) => entry.isRevoked && entry.key.equals(key));
  if (revoked) return { is: "revoked", by: revoked };
  const known = about.filter((entry) => !entry.isRevoked);
  if (known.some((entry) => entry.key.equals(key))) return { is: "known" };
  return known.length === 0 ? { is: "unknown" } : { is: "changed", known };
}

/** A line to add to a known_hosts file. */
export const knownHostLine = (name: string, key: Buffer): string =>
  `${name} ${keyType(key)} ${key.toString("base64")}`;

/** As `ssh` and `ssh-keygen -l` show it. */
export const keyFingerprint = (key: Buffer): string =>
  `${keyType(key)} SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;

/** What the other side calls it ends up on screens and in commands, so only what can be a name is let through. */
const keyType = (key: Buffer): string => {
  const written = readSshString(key).content.toString("latin1");
  return /^[\w@.-]{1,64}$/.test(written) ? written : "unknown-type";
};

const algorithmsOf: Record<string, string[]> = { "ssh-rsa": ["rsa-sha2-512", "rsa-sha2-256"] };
const usual = [
  "ssh-ed25519",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "rsa-sha2-512",
  "rsa-sha2-256",
];

/** A host has several keys and shows the one we ask for first: that must be one we know, or it looks changed. */
export function hostKeyAlgorithms(entries: KnownHost[], name: string): string[] {
  const known = entries
    .filter((entry) => !entry.isRevoked && isAbout(entry, name))
    .flatMap(({ type }) => algorithmsOf[type] ?? [type])
    .filter((algorithm) => usual.includes(algorithm));
  return [...new Set([...known, ...usual])];
}

function isAbout({ names }: Pick<KnownHost, "names">, name: string): boolean {
  const [, hashed, salt = "", hash = ""] = names.split("|");
  if (hashed === undefined) return matchesPatterns(names.toLowerCase().split(","), name);
  const own = createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest("base64");
  return hashed === "1" && own === hash;
}
