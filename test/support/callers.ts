import { dirname, join } from "node:path";
import { groupBy } from "../../src/lib/index.ts";

/** One statement that names another file: what it takes from there, and under which name it passes it on. */
interface Use {
  from: string;
  by: string;
  /** Absent: all of it. */
  names: { name: string; as: string }[] | undefined;
  isPassedOn: boolean;
  isLater: boolean;
}

const statements = /^(import|export)\s+(?:type\s+)?([^;"]*?)\s*from\s+"(\.[^"]+)"/gm;
const laterImports = /import\("(\.[^"]+)"\)/g;

/** Who uses which file, by the texts of all of them. A door that passes a name on is not its user: who asks the door is. */
export class Callers {
  readonly #uses: Map<string, Use[]>;

  constructor(texts: ReadonlyMap<string, string>) {
    this.#uses = groupBy(
      [...texts].flatMap(([by, text]) => usesIn(by, text)),
      ({ from }) => from,
    );
  }

  /** The files that use this one, through however many doors. */
  of(file: string, name?: string): Set<string> {
    return new Set(
      this.#asks(file, name).flatMap(({ by, names, isPassedOn }) => {
        if (!isPassedOn) return [by];
        const passed = names?.filter((each) => name === undefined || each.name === name) ?? [{ as: name }];
        return passed.flatMap(({ as }) => [...this.of(by, as)]);
      }),
    );
  }

  /** Whether it is loaded only when it is needed. */
  isLoadedLater(file: string): boolean {
    return this.#asks(file).some(({ isLater }) => isLater);
  }

  #asks(file: string, name?: string): Use[] {
    const all = this.#uses.get(file) ?? [];
    return all.filter(
      ({ names }) => name === undefined || !names || names.some((each) => each.name === name),
    );
  }
}

function usesIn(by: string, text: string): Use[] {
  const at = (path = ""): string => join(dirname(by), path);
  const now = [...text.matchAll(statements)].map(([, word, what = "", path]): Use => {
    const list = /\{([^}]*)\}/.exec(what)?.[1];
    return {
      from: at(path),
      by,
      names: list?.split(",").flatMap(named),
      isPassedOn: word === "export",
      isLater: false,
    };
  });
  const later = [...text.matchAll(laterImports)].map(([, path]): Use => ({
    from: at(path),
    by,
    names: undefined,
    isPassedOn: false,
    isLater: true,
  }));
  return [...now, ...later];
}

function named(item: string): { name: string; as: string }[] {
  const [name = "", as = name] = item
    .trim()
    .replace(/^type\s+/, "")
    .split(/\s+as\s+/);
  return name === "" ? [] : [{ name, as }];
}
