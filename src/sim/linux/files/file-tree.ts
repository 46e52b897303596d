import { FileError } from "./file-error.ts";
import { contentOf, parentOf, storedContent, type FileEntry, type FileStore } from "./file-entry.ts";

/** On whose behalf something is done. */
export interface Caller {
  user: string;
  isRoot: boolean;
}

export const root: Caller = { user: "root", isRoot: true };

export interface FileTreeOptions {
  /** On the disk. */
  kept: FileStore;
  /** What the kernel makes up when it is read: `/proc/uptime`. */
  made: Record<string, () => string>;
  /** Something on the disk changed. */
  saved(): void;
  /** Throws when a file cannot grow. */
  demandSpace(path: string): void;
}

const mostLinks = 40;
const [readable, writable, searchable] = [4, 2, 1];

/** The files of a host as programs see them: folders, links, modes and owners. What is below /run is in memory. */
export class FileTree {
  private readonly options: FileTreeOptions;
  private memory: FileStore = {};

  constructor(options: FileTreeOptions) {
    this.options = options;
  }

  /** What a restart forgets. */
  forget(): void {
    this.memory = {};
  }

  find(path: string, by: Caller = root, follows = true): FileEntry | undefined {
    try {
      return this.entry(this.resolve(path, by, follows));
    } catch (thrown) {
      if (thrown instanceof FileError && thrown.code !== "EACCES") return undefined;
      throw thrown;
    }
  }

  /** The entry, or what the kernel says instead. */
  stat(path: string, by: Caller, follows = true): FileEntry {
    const found = this.entry(this.resolve(path, by, follows));
    if (!found) throw new FileError("ENOENT");
    return found;
  }

  read(path: string, by: Caller): Buffer {
    const real = this.resolve(path, by);
    const made = this.options.made[real];
    if (made) return Buffer.from(made());
    const entry = this.stat(real, by);
    if (entry.kind === "folder") throw new FileError("EISDIR");
    demand(entry, by, readable);
    return contentOf(entry);
  }

  /** Replaces the content, or makes the file. */
  write(path: string, content: Buffer, by: Caller, mode?: number): void {
    const real = this.resolve(path, by);
    const old = this.entry(real);
    if (old?.kind === "folder") throw new FileError("EISDIR");
    if (old) demand(old, by, writable);
    else this.demandFolder(parentOf(real), by);
    const made = { kind: "file" as const, owner: old?.owner ?? by.user, mode: mode ?? old?.mode ?? 0o644 };
    try {
      this.options.demandSpace(real);
    } catch (thrown) {
      // What a full disk leaves behind is a file that is cut short.
      this.put(real, { ...made, ...storedContent(Buffer.alloc(0)) });
      throw thrown;
    }
    this.put(real, { ...made, ...storedContent(content) });
  }

  makeFolder(path: string, by: Caller, mode = 0o755): void {
    const real = this.resolve(path, by);
    if (this.entry(real)) throw new FileError("EEXIST");
    this.demandFolder(parentOf(real), by);
    this.put(real, { kind: "folder", owner: by.user, mode });
  }

  makeLink(path: string, target: string, by: Caller): void {
    const real = this.resolve(path, by, false);
    if (this.entry(real)) throw new FileError("EEXIST");
    this.demandFolder(parentOf(real), by);
    this.put(real, { kind: "link", owner: by.user, mode: 0o777, target });
  }

  setMode(path: string, mode: number, by: Caller): void {
    const real = this.resolve(path, by);
    const entry = this.stat(real, by);
    if (!by.isRoot && entry.owner !== by.user) throw new FileError("EPERM");
    this.put(real, { ...entry, mode });
  }

  /** A file, a link, or a folder with nothing in it. */
  remove(path: string, by: Caller): void {
    const real = this.resolve(path, by, false);
    const entry = this.stat(real, by, false);
    this.demandFolder(parentOf(real), by);
    if (entry.kind === "folder" && this.children(real).length > 0) throw new FileError("ENOTEMPTY");
    this.drop(real);
  }

  /** Takes the place of a file that is there. */
  move(from: string, to: string, by: Caller): void {
    const [source, target] = [this.resolve(from, by, false), this.resolve(to, by, false)];
    const entry = this.stat(source, by, false);
    const old = this.entry(target);
    if (old?.kind === "folder" && entry.kind !== "folder") throw new FileError("EISDIR");
    this.demandFolder(parentOf(source), by);
    this.demandFolder(parentOf(target), by);
    const moved = [source, ...this.pathsBelow(source)].map((path) => [path, this.entry(path)] as const);
    for (const [path] of moved) this.drop(path);
    for (const [path, each] of moved) if (each) this.put(target + path.slice(source.length), each);
  }

  /** Names in a folder. */
  children(folder: string): string[] {
    const start = folder === "/" ? "/" : `${folder}/`;
    return this.pathsBelow(folder)
      .map((path) => path.slice(start.length))
      .filter((name) => !name.includes("/"));
  }

  /** Whole paths of everything below a folder, folders before what they hold. */
  pathsBelow(folder: string): string[] {
    const start = folder === "/" ? "/" : `${folder}/`;
    return [this.options.kept, this.memory]
      .flatMap((store) => Object.keys(store))
      .filter((path) => path.startsWith(start) && path !== "/")
      .toSorted();
  }

  /** Where a path leads once every link on the way is followed. The last part need not be there. */
  resolve(path: string, by: Caller, follows = true, depth = 0): string {
    if (depth > mostLinks) throw new FileError("ELOOP");
    const parts = path.split("/").filter((part) => part !== "" && part !== ".");
    let at = "/";
    for (const [index, part] of parts.entries()) {
      if (part === "..") {
        at = parentOf(at);
        continue;
      }
      const folder = this.entry(at);
      if (!folder) throw new FileError("ENOENT");
      if (folder.kind !== "folder") throw new FileError("ENOTDIR");
      demand(folder, by, searchable);
      const next = at === "/" ? `/${part}` : `${at}/${part}`;
      const entry = this.entry(next);
      const isLast = index === parts.length - 1;
      if (entry?.kind === "link" && (follows || !isLast)) {
        const target = entry.target.startsWith("/") ? entry.target : `${at}/${entry.target}`;
        at = this.resolve(target, by, true, depth + 1);
      } else at = next;
    }
    return at;
  }

  private demandFolder(path: string, by: Caller): void {
    const folder = this.entry(path);
    if (!folder) throw new FileError("ENOENT");
    if (folder.kind !== "folder") throw new FileError("ENOTDIR");
    if (/^\/(?:proc|sys)(?:\/|$)/.test(path)) throw new FileError("EACCES");
    demand(folder, by, writable);
  }

  private entry(path: string): FileEntry | undefined {
    const stored = this.storeOf(path)[path];
    if (stored) return stored;
    const made = Object.keys(this.options.made);
    if (made.includes(path)) return { kind: "file", owner: "root", mode: 0o444, text: "" };
    const isAbove = path === "/run" || made.some((each) => each.startsWith(`${path}/`));
    return isAbove || path === "/" ? { kind: "folder", owner: "root", mode: 0o755 } : undefined;
  }

  private storeOf(path: string): FileStore {
    return path.startsWith("/run/") ? this.memory : this.options.kept;
  }

  private put(path: string, entry: FileEntry): void {
    this.storeOf(path)[path] = entry;
    this.options.saved();
  }

  private drop(path: string): void {
    delete this.storeOf(path)[path];
    this.options.saved();
  }
}

/** Root may do everything but run a file that nobody may run. */
function demand({ owner, mode }: FileEntry, by: Caller, wish: number): void {
  if (by.isRoot) return;
  const bits = owner === by.user ? mode >> 6 : mode;
  if ((bits & wish) === 0) throw new FileError("EACCES");
}
