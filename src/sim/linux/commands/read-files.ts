import { createHash } from "node:crypto";
import { reasonOf } from "../files/file-error.ts";
import { contentOf, type FileEntry } from "../files/file-entry.ts";
import { failed, printed, readOptions, together, type Command, type CommandCall } from "./command.ts";

const cat: Command = async (call) => {
  const { operands } = readOptions(call.args);
  if (operands.length === 0) return printed(await call.stdin());
  return together(operands.map((path) => reading(call, "cat", path, (content) => content)));
};

const sha256sum: Command = (call) =>
  together(
    readOptions(call.args).operands.map((path) =>
      reading(
        call,
        "sha256sum",
        path,
        (content) => `${createHash("sha256").update(content).digest("hex")}  ${path}\n`,
      ),
    ),
  );

function reading(
  { host, by }: CommandCall,
  program: string,
  path: string,
  show: (content: Buffer) => string | Buffer,
) {
  try {
    return printed(show(host.files.read(path, by)));
  } catch (thrown) {
    return failed(1, `${program}: ${path}: ${reasonOf(thrown)}`);
  }
}

const kinds = { "-e": undefined, "-f": "file", "-d": "folder", "-L": "link" } as const;

/** What may not be looked at does not exist for it. */
const test: Command = ({ host, args, by }) => {
  const [flag = "", path = ""] = args;
  if (args.length !== 2) return failed(2, `bash: line 1: test: too many arguments`);
  if (flag === "-s" || flag === "-x" || flag in kinds)
    return failed(isSo(flag, found({ host, by, path })) ? 0 : 1);
  return failed(2, `bash: line 1: test: ${flag}: unary operator expected`);

  function isSo(asked: string, entry: FileEntry | undefined): boolean {
    if (!entry) return false;
    if (asked === "-s") return entry.kind === "folder" || contentOf(entry).length > 0;
    if (asked === "-x") return (entry.mode & 0o111) !== 0;
    const kind = kinds[asked as keyof typeof kinds];
    return kind === undefined || entry.kind === kind;
  }

  function found(at: Pick<CommandCall, "host" | "by"> & { path: string }): FileEntry | undefined {
    try {
      return at.host.files.find(at.path, at.by, flag !== "-L");
    } catch (thrown) {
      reasonOf(thrown);
      return undefined;
    }
  }
};

const kindTexts = { file: "regular file", folder: "directory", link: "symbolic link" } as const;

const stat: Command = ({ host, args, by }) => {
  const { options, operands } = readOptions(args, ["c"]);
  const format = options.get("c") ?? "%n";
  return together(
    operands.map((path) => {
      try {
        const entry = host.files.stat(path, by, options.has("L"));
        const size = contentOf(entry).length;
        const facts: Record<string, string> = {
          a: (entry.mode & 0o7777).toString(8),
          n: path,
          s: String(size),
          U: entry.owner,
          F: entry.kind === "file" && size === 0 ? "regular empty file" : kindTexts[entry.kind],
        };
        return printed(`${format.replace(/%(.)/g, (all, letter: string) => facts[letter] ?? all)}\n`);
      } catch (thrown) {
        return failed(1, `stat: cannot statx '${path}': ${reasonOf(thrown)}`);
      }
    }),
  );
};

export const readFileCommands: Record<string, Command> = { cat, sha256sum, test, stat };
