import { FileError, reasonOf, type Errno } from "../files/file-error.ts";
import { nameOf, parentOf } from "../files/file-entry.ts";
import type { Caller, FileTree } from "../files/file-tree.ts";
import { failed, printed, readOptions, together, type Command, type Outcome } from "./command.ts";

const done = printed("");

const install: Command = async ({ host: { files }, args, by, stdin }) => {
  const { options, operands } = readOptions(args, ["m", "o", "g"]);
  const [from = "", to = ""] = operands;
  if (operands.length < 2) return failed(1, `install: missing destination file operand after '${from}'`);
  const mode = Number.parseInt(options.get("m") ?? "755", 8);
  if (options.has("D")) {
    const refusal = makeFolders(files, parentOf(to), by, "ENOTDIR");
    if (refusal) return failed(1, `install: cannot create directory '${refusal.path}': ${refusal.reason}`);
  }
  let content: Buffer;
  try {
    content = from === "/dev/stdin" ? await stdin() : files.read(from, by);
  } catch (thrown) {
    return failed(1, `install: cannot stat '${from}': ${reasonOf(thrown)}`);
  }
  return attempt(
    () => {
      const old = files.find(to, by, false);
      if (old?.kind === "folder")
        return failed(1, `install: cannot overwrite directory '${to}' with non-directory`);
      if (old) files.remove(to, by);
      files.write(to, content, by, mode);
      return done;
    },
    (reason, code) =>
      code === "ENOSPC"
        ? `install: error writing '${to}': ${reason}`
        : `install: cannot create regular file '${to}': ${reason}`,
  );
};

const mkdir: Command = ({ host: { files }, args, by }) => {
  const { options, operands } = readOptions(args, ["m"]);
  const mode = options.get("m");
  return together(
    operands.map((path) => {
      const isThere = files.find(path, by)?.kind === "folder";
      if (options.has("p")) {
        const refusal = makeFolders(files, path, by);
        if (refusal) return failed(1, `mkdir: cannot create directory ‘${refusal.path}’: ${refusal.reason}`);
      } else {
        const made = attempt(
          () => (files.makeFolder(path, by), done),
          (reason) => `mkdir: cannot create directory ‘${path}’: ${reason}`,
        );
        if (made.code !== 0) return made;
      }
      if (mode !== undefined && !isThere) files.setMode(path, Number.parseInt(mode, 8), by);
      return done;
    }),
  );
};

const mv: Command = ({ host: { files }, args, by }) => {
  const { operands } = readOptions(args);
  const [from = "", to = ""] = operands;
  try {
    files.stat(from, by, false);
  } catch (thrown) {
    return failed(1, `mv: cannot stat '${from}': ${reasonOf(thrown)}`);
  }
  const target = files.find(to, by)?.kind === "folder" ? `${to.replace(/\/$/, "")}/${nameOf(from)}` : to;
  if (files.resolve(from, by, false) === resolved(files, target, by))
    return failed(1, `mv: '${from}' and '${target}' are the same file`);
  const isOntoFile = files.find(from, by, false)?.kind === "folder" && files.find(target, by, false);
  if (isOntoFile && isOntoFile.kind !== "folder")
    return failed(1, `mv: cannot overwrite non-directory '${target}' with directory '${from}'`);
  return attempt(
    () => (files.move(from, target, by), done),
    (reason) => `mv: cannot move '${from}' to '${target}': ${reason}`,
  );
};

const rm: Command = ({ host: { files }, args, by }) => {
  const { options, operands } = readOptions(args);
  const [isForced, isDeep] = [options.has("f"), options.has("r") || options.has("R")];
  return together(
    operands.map((path) => {
      if (path === "/") return failed(1, "rm: it is dangerous to operate recursively on '/'");
      return attempt(
        () => {
          const entry = files.find(path, by, false);
          if (!entry)
            return isForced ? done : failed(1, `rm: cannot remove '${path}': No such file or directory`);
          if (entry.kind === "folder" && !isDeep) throw new FileError("EISDIR");
          const real = files.resolve(path, by, false);
          const all = entry.kind === "folder" ? [real, ...files.pathsBelow(real)] : [real];
          for (const each of all.toReversed()) files.remove(each, by);
          return done;
        },
        (reason) => `rm: cannot remove '${path}': ${reason}`,
      );
    }),
  );
};

const ln: Command = ({ host: { files }, args, by }) => {
  const { options, operands } = readOptions(args);
  const [target = "", name = ""] = operands;
  if (!options.has("s")) return failed(1, "ln: hard links are not simulated");
  const old = files.find(name, by, !options.has("n"));
  const path = old?.kind === "folder" ? `${name.replace(/\/$/, "")}/${nameOf(target)}` : name;
  return attempt(
    () => {
      if (options.has("f") && files.find(path, by, false)) files.remove(path, by);
      files.makeLink(path, target, by);
      return done;
    },
    (reason) => `ln: failed to create symbolic link '${path}': ${reason}`,
  );
};

const chmod: Command = ({ host: { files }, args, by }) => {
  const [mode = "", ...paths] = args;
  const isAdded = /^[ugoa]*\+x$/.test(mode);
  if (!isAdded && !/^[0-7]{1,4}$/.test(mode))
    return failed(1, `chmod: invalid mode: ‘${mode}’`, "Try 'chmod --help' for more information.");
  return together(
    paths.map((path) => {
      try {
        const { mode: old } = files.stat(path, by);
        files.setMode(path, isAdded ? old | 0o111 : Number.parseInt(mode, 8), by);
        return done;
      } catch (thrown) {
        const isOthers = thrown instanceof FileError && thrown.code === "EPERM";
        const reason = reasonOf(thrown);
        return failed(
          1,
          `chmod: ${isOthers ? "changing permissions of" : "cannot access"} '${path}': ${reason}`,
        );
      }
    }),
  );
};

/** Makes what is missing on the way; what cannot be made is told. */
function makeFolders(
  files: FileTree,
  path: string,
  by: Caller,
  ifFile: Errno = "EEXIST",
): { path: string; reason: string } | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  for (let count = 1; count <= parts.length; count++) {
    const folder = `/${parts.slice(0, count).join("/")}`;
    try {
      const found = files.find(folder, by);
      if (!found) files.makeFolder(folder, by);
      else if (found.kind !== "folder") throw new FileError(count === parts.length ? ifFile : "ENOTDIR");
    } catch (thrown) {
      return { path: folder, reason: reasonOf(thrown) };
    }
  }
  return undefined;
}

function resolved(files: FileTree, path: string, by: Caller): string | undefined {
  try {
    return files.resolve(path, by, false);
  } catch (thrown) {
    reasonOf(thrown);
    return undefined;
  }
}

function attempt(work: () => Outcome, words: (reason: string, code: string) => string): Outcome {
  try {
    return work();
  } catch (thrown) {
    return failed(1, words(reasonOf(thrown), thrown instanceof FileError ? thrown.code : ""));
  }
}

export const writeFileCommands: Record<string, Command> = { install, mkdir, mv, rm, ln, chmod };
