import { copyFile, mkdir, open, readFile, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { isMap, isSeq, parseDocument, type Document, type YAMLMap } from "yaml";
import { replaceFile } from "../../lib/index.ts";
import { kubeconfigForeign, kubeconfigLocked, kubeconfigUnreadable } from "./errors.ts";

export interface MergeRequest {
  cluster: string;
  /** The cluster's own kubeconfig. */
  text: string;
  /** The user's file. */
  into: string;
  /** The cluster file, by which entries are told from those of another with the same names. */
  file: string;
  /** The `.slipway` folder: it keeps where the cluster was merged into. */
  folder: string;
}

export interface MergedKubeconfig {
  into: string;
  context: string;
  /** Absent: there was no file before. */
  backup?: string | undefined;
  /** The context that was current before, where it was another. */
  before?: string | undefined;
}

const lists = ["clusters", "users", "contexts"] as const;
type List = (typeof lists)[number];
const bodies = { clusters: "cluster", users: "user", contexts: "context" } as const;
const mark = "slipway.dev/merged";
const noteName = "merged-into";

/**
 * Adds a cluster to the user's kubeconfig: its entries carry our mark, all others stay as they are, comments too. The file
 * is there whole or as it was; what it was is kept beside it.
 */
export async function mergeKubeconfig(request: MergeRequest): Promise<MergedKubeconfig> {
  const { cluster, text, folder } = request;
  const into = await resolved(request.into);
  const from = path.resolve(request.file);
  const own = parseDocument(text).toJS() as Record<List, { name: string }[]> & { "current-context": string };
  const context = own["current-context"];
  return whileLocked(into, async () => {
    const old = await readText(into);
    const document = readDocument(old ?? "", into);
    const current = document.get("current-context");
    const last = entryNamed(document, "contexts", context);
    const isOther = typeof current === "string" && current !== "" && current !== context;
    const before = isOther ? current : last && markOf(last, "contexts")?.before;
    for (const list of lists)
      for (const entry of own[list])
        putEntry(document, list, marked(list, entry, { file: from, cluster, before }), { into, file: from });
    document.set("current-context", context);
    const backup = old === undefined ? undefined : `${into}.before-slipway`;
    if (backup !== undefined) await copyFile(into, backup);
    // First the note: a cluster that is gone must not stay in anybody's file.
    await note(folder, cluster, into);
    await replaceFile(into, document.toString({ lineWidth: 0 }));
    return { into, context, backup, before };
  });
}

/** Takes a cluster out of every kubeconfig it was merged into. Gives back the files that were changed. */
export async function unmergeKubeconfigs(folder: string, cluster: string, file: string): Promise<string[]> {
  const notes = path.join(folder, cluster, noteName);
  const places = linesOf(await readText(notes));
  const changed: string[] = [];
  for (const into of places)
    if (await unmerge(into, { file: path.resolve(file), cluster })) changed.push(into);
  await rm(notes, { force: true });
  return changed;
}

function unmerge(into: string, owner: Owner): Promise<boolean> {
  return whileLocked(into, async () => {
    const old = await readText(into);
    if (old === undefined) return false;
    const document = readDocument(old, into);
    const gone = lists.flatMap((list) => takeEntries(document, list, owner));
    if (gone.length === 0) return false;
    const current = document.get("current-context");
    const ours = gone.find(({ list, name }) => list === "contexts" && name === current);
    if (ours)
      document.set("current-context", entryNamed(document, "contexts", ours.before) ? ours.before : "");
    await replaceFile(into, document.toString({ lineWidth: 0 }));
    return true;
  });
}

/** A link stays a link. */
const resolved = (file: string): Promise<string> => realpath(file).catch(() => path.resolve(file));

function readDocument(text: string, file: string): Document {
  const document = parseDocument(text.trim() === "" ? "apiVersion: v1\nkind: Config\n" : text);
  const [problem] = document.errors;
  if (problem || !isMap(document.contents))
    throw kubeconfigUnreadable(file, problem?.message ?? "it is no map");
  return document;
}

/** Of an entry: several clusters of one file may stand in the same kubeconfig. */
interface Owner {
  file: string;
  cluster: string;
}

interface Mark extends Owner {
  before?: string | undefined;
}

function marked(list: List, entry: object, extension: Mark): object & { name: string } {
  const body = bodies[list];
  const inner = (entry as Record<string, object>)[body];
  return { ...(entry as { name: string }), [body]: { ...inner, extensions: [{ name: mark, extension }] } };
}

const markOf = (entry: YAMLMap, list: List): Mark | undefined => {
  const extensions = (entry.toJSON() as Record<string, { extensions?: { name: string; extension: Mark }[] }>)[
    bodies[list]
  ]?.extensions;
  return extensions?.find(({ name }) => name === mark)?.extension;
};

const entriesOf = (document: Document, list: List): YAMLMap[] => {
  const found = document.get(list);
  return isSeq(found) ? found.items.filter(isMap) : [];
};

const entryNamed = (document: Document, list: List, name: string | undefined): YAMLMap | undefined =>
  name === undefined ? undefined : entriesOf(document, list).find((entry) => entry.get("name") === name);

function putEntry(
  document: Document,
  list: List,
  entry: { name: string },
  { into, file }: { into: string; file: string },
): void {
  const there = entryNamed(document, list, entry.name);
  const node = document.createNode(entry);
  if (!there) {
    if (isSeq(document.get(list))) document.addIn([list], node);
    else document.set(list, document.createNode([entry]));
    return;
  }
  const owner = markOf(there, list)?.file;
  if (owner !== file) throw kubeconfigForeign({ into, list, name: entry.name, owner });
  there.items = (node as YAMLMap).items;
}

interface Gone {
  list: List;
  name: unknown;
  before?: string | undefined;
}

function takeEntries(document: Document, list: List, { file, cluster }: Owner): Gone[] {
  const found = document.get(list);
  if (!isSeq(found)) return [];
  const ours = entriesOf(document, list).filter((entry) => {
    const owner = markOf(entry, list);
    return owner?.file === file && owner.cluster === cluster;
  });
  found.items = found.items.filter((item) => !ours.includes(item as YAMLMap));
  return ours.map((entry) => ({ list, name: entry.get("name"), before: markOf(entry, list)?.before }));
}

async function note(folder: string, cluster: string, into: string): Promise<void> {
  const file = path.join(folder, cluster, noteName);
  const known = linesOf(await readText(file));
  await replaceFile(file, `${[...new Set([...known, into])].join("\n")}\n`);
}

/** Only what is not there counts as empty: a file that cannot be read is never written over. */
const readText = (file: string): Promise<string | undefined> =>
  readFile(file, "utf8").catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw kubeconfigUnreadable(file, (thrown as Error).message);
  });

const linesOf = (text: string | undefined): string[] =>
  (text ?? "").split("\n").filter((line) => line !== "");

/** As kubectl does while it writes, so that the two never do at once. */
async function whileLocked<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const lock = `${file}.lock`;
  const handle = await open(lock, "wx").catch((thrown: unknown) => {
    throw (thrown as NodeJS.ErrnoException).code === "EEXIST" ? kubeconfigLocked(file, lock) : thrown;
  });
  await handle.close();
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}
