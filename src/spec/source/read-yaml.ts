import {
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  type YAMLMap,
  type Alias,
  isAlias,
  isSeq,
  type Pair,
  type Scalar,
} from "yaml";
import type { LocatedDocument } from "./located-document.ts";
import { mostEntries, type Problem, tooManyEntries, type SourceFile } from "./problem.ts";
import { TextPositions, withoutByteOrderMark, formatPath, type Path } from "./positions.ts";
import { explainYamlError, mainErrors, placeOfYamlError } from "./yaml-errors.ts";
import type { Position } from "../../errors/index.ts";

export interface ReadSource {
  problems: Problem[];
  /** Absent when it is no YAML, or no map: then nothing else can be said about it. */
  document?: LocatedDocument;
}

/** Reads one file as data that remembers where everything stood. */
export function readYaml(source: SourceFile): ReadSource {
  const text = withoutByteOrderMark(source.text);
  const places = new TextPositions(source.file, text);
  const start = places.position(0, 1, []);
  if (text.trim() === "") {
    return {
      problems: [
        {
          code: "SPEC_EMPTY",
          what: "The file is empty",
          next: 'Start with "slipway init --example quickstart"',
          position: start,
        },
      ],
    };
  }
  const parsed = parseDocument(text, {
    lineCounter: new LineCounter(),
    prettyErrors: false,
    stringKeys: false,
    uniqueKeys: false,
  });
  const broken = mainErrors([...parsed.errors, ...parsed.warnings]).map((error): Problem => {
    const [from, to] = placeOfYamlError(error, text);
    return { ...explainYamlError(error, text), position: places.position(from, to, []) };
  });
  if (broken.length > 0) return { problems: broken };
  if (!isMap(parsed.contents)) {
    return {
      problems: [
        {
          code: "SPEC_WRONG_TYPE",
          what: "The file is not a map of fields",
          next: 'Write "version: 1" on the first line, then "hosts:" and "clusters:"',
          position: start,
        },
      ],
    };
  }
  const crowded = tooMany(parsed.contents, places);
  if (crowded) return { problems: [crowded] };
  const problems: Problem[] = [];
  const document = new YamlDocument(parsed.contents, places, problems);
  const isReadable = problems.every((problem) => problem.code !== "SPEC_SYNTAX");
  return isReadable ? { problems, document } : { problems };
}

function tooMany(file: YAMLMap, places: TextPositions): Problem | undefined {
  for (const { key, value } of file.items) {
    const name = isScalar(key) ? String(key.value) : "";
    const isCounted = name === "hosts" || name === "clusters";
    if (!isCounted || !isMap(value) || value.items.length <= mostEntries || !isNode(key)) continue;
    const [from = 0, to = 1] = key.range ?? [];
    return { ...tooManyEntries(value.items.length, name), position: places.position(from, to, [name]) };
  }
  return undefined;
}

type YamlNode = unknown;

/** What lies below these is not ours: numbers there stay numbers. */
const foreignFields = new Set(["patches", "values", "config"]);

/** Values a file may unfold to; aliases of aliases of aliases can ask for billions. */
const mostValues = 200_000;

/** A YAML map as plain data, each value still knowing its place in the text. */
class YamlDocument implements LocatedDocument {
  /** Anchors and merges are unfolded. */
  readonly value: Record<string, unknown>;
  private readonly root: YAMLMap;
  private readonly places: TextPositions;
  private readonly problems: Problem[];
  private readonly anchors = new Map<string, YamlNode>();
  private readonly targets = new Map<Alias, YamlNode>();
  private readonly pairs = new Map<YAMLMap, Map<string, Pair>>();
  private readonly renamed = new Map<string, string>();
  /** For lists that lost items: the number that each of those left was written at. */
  private readonly kept = new Map<string, number[]>();
  private valuesLeft = mostValues;

  constructor(root: YAMLMap, places: TextPositions, problems: Problem[]) {
    this.root = root;
    this.places = places;
    this.problems = problems;
    this.value = this.readMap(root, [], false, []);
  }

  get file(): string {
    return this.places.file;
  }

  rename(path: Path, wrong: string, right: string): void {
    this.renamed.set(formatPath([...path, right]), wrong);
  }

  dropItem(path: Path, item: number): void {
    const { node } = this.walk(path);
    const key = formatPath(path);
    const kept = this.kept.get(key) ?? (isSeq(node) ? [...node.items.keys()] : []);
    this.kept.set(key, kept.toSpliced(item, 1));
  }

  /** Of its field name where the value itself spans lines. */
  locate(path: Path): Position {
    const found = this.walk(path);
    const node = found.isWhole ? found.node : undefined;
    if (isScalar(node) && node.range && node.range[1] > node.range[0]) {
      return this.places.position(node.range[0], node.range[1], found.path);
    }
    return this.keyPosition(found);
  }

  locateKey(path: Path): Position {
    return this.keyPosition(this.walk(path));
  }

  /** `.10` and `1.10` are not what they seem once they are numbers. */
  textAt(path: Path): string | undefined {
    const { node, isWhole } = this.walk(path);
    return isWhole && isScalar(node) ? (node.source ?? String(node.value)) : undefined;
  }

  mapKeys(path: Path): string[] {
    const { node, isWhole } = this.walk(path);
    return isWhole && isMap(node) ? [...this.pairsOf(node).keys()].filter((name) => name !== "<<") : [];
  }

  private keyPosition(found: Walked): Position {
    const range = rangeOf(found.key) ?? rangeOf(found.node) ?? [0, 1];
    return this.places.position(range[0], range[1], found.path);
  }

  private walk(path: Path): Walked {
    let node: YamlNode = this.root;
    let key: YamlNode;
    const written: (string | number)[] = [];
    for (const [depth, part] of path.entries()) {
      let next: YamlNode;
      if (isMap(node)) {
        const name = this.nameAt(path, depth);
        const pair = this.pairsOf(node).get(name);
        if (!pair) return { node, key, path: written, isWhole: false };
        key = pair.key;
        next = pair.value;
        written.push(name);
      } else if (
        isSeq(node) &&
        typeof part === "number" &&
        this.itemAt(path, depth, part) < node.items.length
      ) {
        const item = this.itemAt(path, depth, part);
        next = node.items[item];
        key = undefined;
        written.push(item);
      } else {
        return { node, key, path: written, isWhole: false };
      }
      node = isAlias(next) ? this.targets.get(next) : next;
    }
    return { node, key, path: written, isWhole: true };
  }

  private itemAt(path: Path, depth: number, item: number): number {
    return this.kept.size === 0 ? item : (this.kept.get(formatPath(path.slice(0, depth)))?.[item] ?? item);
  }

  private nameAt(path: Path, depth: number): string {
    const wrong =
      this.renamed.size === 0 ? undefined : this.renamed.get(formatPath(path.slice(0, depth + 1)));
    return wrong ?? String(path[depth]);
  }

  /** The fields of a map by name, those merged into it with `<<` behind its own. */
  private pairsOf(map: YAMLMap): Map<string, Pair> {
    const known = this.pairs.get(map);
    if (known) return known;
    const pairs = new Map<string, Pair>();
    this.pairs.set(map, pairs);
    for (const pair of map.items) if (isScalar(pair.key)) pairs.set(keyText(pair.key), pair);
    for (const source of this.mergedInto(map)) {
      for (const [name, pair] of this.pairsOf(source)) if (!pairs.has(name)) pairs.set(name, pair);
    }
    return pairs;
  }

  private mergedInto(map: YAMLMap): YAMLMap[] {
    const merge = map.items.find((pair) => isScalar(pair.key) && keyText(pair.key) === "<<");
    const sources: YamlNode[] = isSeq(merge?.value) ? merge.value.items : [merge?.value];
    return sources
      .map((source) => (isAlias(source) ? this.targets.get(source) : source))
      .filter((source): source is YAMLMap => isMap(source));
  }

  private read(node: YamlNode, path: Path, isForeign: boolean, inside: readonly YamlNode[]): unknown {
    if (this.valuesLeft-- <= 0) {
      if (this.valuesLeft === -1) this.report(node, path, tooMuch);
      return null;
    }
    if (isAlias(node)) return this.readAlias(node, path, isForeign, inside);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined && inside.length === 0) this.anchors.set(anchor, node);
    if (isMap(node)) return this.readMap(node, path, isForeign, inside);
    if (isSeq(node)) return node.items.map((item, i) => this.read(item, [...path, i], isForeign, inside));
    return isScalar(node) ? this.readScalar(node, path, isForeign) : null;
  }

  private readAlias(alias: Alias, path: Path, isForeign: boolean, inside: readonly YamlNode[]): unknown {
    const target = this.targets.get(alias) ?? this.anchors.get(alias.source);
    this.targets.set(alias, target);
    if (target !== undefined && !inside.includes(target))
      return this.read(target, path, isForeign, [...inside, target]);
    this.report(
      alias,
      path,
      target === undefined ? aliasToNothing(alias.source) : aliasInItself(alias.source),
    );
    return null;
  }

  private readMap(
    map: YAMLMap,
    path: Path,
    isForeign: boolean,
    inside: readonly YamlNode[],
  ): Record<string, unknown> {
    const merged: Record<string, unknown>[] = [];
    const own = new Map<string, unknown>();
    for (const pair of map.items) {
      if (!isScalar(pair.key)) {
        this.report(pair.key, path, badKey);
        continue;
      }
      const name = keyText(pair.key);
      const below = [...path, name];
      const value = this.read(pair.value, below, isForeign || foreignFields.has(name), inside);
      if (name === "<<") merged.push(...[value].flat().filter(isRecord));
      else if (own.has(name)) this.report(pair.key, below, keyTwice(name));
      else own.set(name, value);
    }
    const result: Record<string, unknown> = {};
    for (const [name, value] of [...merged.toReversed().flatMap(Object.entries), ...own]) {
      // Not by assignment: a field called __proto__ must stay a field.
      Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return result;
  }

  private readScalar(scalar: Scalar, path: Path, isForeign: boolean): unknown {
    const source = scalar.source ?? "";
    if (typeof scalar.value !== "number") return scalar.value;
    if (/^[-+]?0\d/.test(source)) {
      this.report(scalar, path, leadingZero(source));
    }
    // YAML takes `.101` for a fraction; in our own fields it is the end of an address.
    return !isForeign && source.startsWith(".") ? source : scalar.value;
  }

  private report(node: YamlNode, path: Path, fault: Omit<Problem, "position">): void {
    const range = rangeOf(node) ?? [0, 1];
    this.problems.push({ ...fault, position: this.places.position(range[0], range[1], path) });
  }
}

interface Walked {
  node: YamlNode;
  key: YamlNode;
  path: (string | number)[];
  /** False when the path ends before its last part. */
  isWhole: boolean;
}

const tooMuch = {
  code: "SPEC_SYNTAX",
  what: `The aliases of this file unfold to more than ${mostValues} values`,
  next: "Use fewer aliases inside of anchors",
};

const aliasInItself = (name: string) => ({
  code: "SPEC_SYNTAX",
  what: `Alias "*${name}" contains itself`,
  next: "Write the value here instead of the alias",
});

const aliasToNothing = (name: string) => ({
  code: "SPEC_SYNTAX",
  what: `Alias "*${name}" points to nothing`,
  next: `Set its anchor, &${name}, before it is used, or write the value here`,
});

const badKey = {
  code: "SPEC_SYNTAX",
  what: "The name of this field is not a text",
  next: "Write a plain name before the colon",
};

const keyTwice = (name: string) => ({
  code: "SPEC_FIELD_TWICE",
  what: `"${name}" is twice in the same map`,
  next: "Keep one of the two",
});

const leadingZero = (source: string) => ({
  code: "SPEC_LEADING_ZERO",
  what: `${source} starts with a zero: some programs read it as octal`,
  next: `Write ${Number(source)}, or 0o${source.replace(/^[-+]?0+/, "")} if octal is meant`,
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const keyText = (key: Scalar): string =>
  typeof key.value === "string" ? key.value : (key.source ?? String(key.value));

function rangeOf(node: YamlNode): [number, number] | undefined {
  const range = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range : undefined;
  return range ? [range[0], Math.max(range[0] + 1, range[1])] : undefined;
}
