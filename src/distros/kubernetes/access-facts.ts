import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parse } from "yaml";

const renewBeforeMs = 30 * 86_400_000;

/** What a file that gives access to a cluster is about. */
export interface FileFacts {
  points: string;
  authority: string;
  client: string;
}

/** Whether a file points where it should, trusts our authority, and will do so for a while. */
export function fits(read: () => FileFacts, points: string, authority: string, now: number): boolean {
  try {
    const facts = read();
    const validTo = Date.parse(new X509Certificate(facts.client).validTo);
    return (
      facts.points === points && facts.authority.trim() === authority.trim() && validTo - now > renewBeforeMs
    );
  } catch {
    return false;
  }
}

/** What becomes of a client certificate whose file is written again: nothing takes it back but another authority. */
export async function fateOfOld(
  file: string,
  read: (text: string) => FileFacts,
  rotate?: string,
): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return "there was none";
  try {
    const until = new Date(new X509Certificate(read(text).client).validTo).toISOString().slice(0, 10);
    const unless =
      rotate === undefined ? "nothing ends them before" : `only a new CA ends them before: ${rotate}`;
    return `copies of the old one work until ${until}; ${unless}`;
  } catch {
    return "the old one could not be read";
  }
}

const decode = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");

export function kubeFacts(text: string): FileFacts {
  const file = parse(text) as {
    clusters: [{ cluster: Record<string, string> }];
    users: [{ user: Record<string, string> }];
  };
  const { cluster } = file.clusters[0];
  const { user } = file.users[0];
  return {
    points: cluster["server"] ?? "",
    authority: decode(cluster["certificate-authority-data"] ?? ""),
    client: decode(user["client-certificate-data"] ?? ""),
  };
}
