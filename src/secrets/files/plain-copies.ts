import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { isDraft, type Redaction } from "../../lib/index.ts";
import { formIn } from "./at-rest.ts";
import type { SecretFiles } from "./secret-files.ts";

/** Nobody keeps a cluster's secrets in a larger file. */
const largestBytes = 8 * 1024 * 1024;

/** People and their tools read them as they are, and they hold one administrator's key, not those of the authorities. */
const accessFiles = new Set(["kubeconfig", "talosconfig"]);

/** A file in a cluster's folder that gives its secrets away to whoever reads it. */
export interface PlainCopy {
  /** Below the cluster's folder. */
  name: string;
  file: string;
  /** What a write that was killed has left. */
  isDraft: boolean;
}

/** Plain copies beside the secret files themselves: found by what is in them, whatever they are called. */
export async function plainCopies(files: SecretFiles, cluster: string): Promise<PlainCopy[]> {
  const root = path.join(files.folder, cluster);
  const kept = await files.list(cluster);
  // Reading them registers what they say, which is then looked for in all others.
  for (const { name } of kept) await files.read(cluster, name).catch(() => undefined);
  const secretFiles = new Set(kept.map(({ file }) => file));
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const found: PlainCopy[] = [];
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(root, file).split(path.sep).join("/");
    if (entry.isDirectory() || secretFiles.has(file) || accessFiles.has(name)) continue;
    if (await givesAway(file, files.redaction)) found.push({ name, file, isDraft: isDraft(name) });
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function givesAway(file: string, redaction: Redaction): Promise<boolean> {
  const size = await stat(file).then(
    (found) => found.size,
    () => largestBytes,
  );
  if (size >= largestBytes) return false;
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  if (formIn(bytes) !== "plain") return false;
  const text = bytes.toString("utf8");
  return holdsPrivateKey(text) || redaction.redact(text) !== text;
}

const encodedHead = Buffer.from("-----BEGIN").toString("base64").slice(0, 12);

function holdsPrivateKey(text: string): boolean {
  if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text)) return true;
  const encoded = text.match(new RegExp(`${encodedHead}[A-Za-z0-9+/]{40}`, "g")) ?? [];
  return encoded.some((head) => Buffer.from(head, "base64").toString("latin1").includes("PRIVATE KEY"));
}
