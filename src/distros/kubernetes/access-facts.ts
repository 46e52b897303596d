import { X509Certificate } from "node:crypto";
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
