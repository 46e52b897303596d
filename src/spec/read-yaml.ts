import { isMap, isNode, isScalar, LineCounter, parseDocument, type YAMLMap } from "yaml";
import { LocatedDocument } from "./located-document.ts";
import type { Problem, SourceFile } from "./problem.ts";
import { TextPlaces, withoutByteOrderMark } from "./text-places.ts";
import { explainYamlError, mainErrors, placeOfYamlError } from "./yaml-errors.ts";

export interface ReadYaml {
  problems: Problem[];
  /** Absent when the text is no YAML, or no map: then nothing else can be said about it. */
  document?: LocatedDocument;
}

/** Reads one file as data that remembers where everything stood. */
export function readYaml(source: SourceFile): ReadYaml {
  const text = withoutByteOrderMark(source.text);
  const places = new TextPlaces(source.file, text);
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
  const document = new LocatedDocument(parsed.contents, places, problems);
  const isReadable = problems.every((problem) => problem.code !== "SPEC_SYNTAX");
  return isReadable ? { problems, document } : { problems };
}

/** More than anybody has: every check compares each with each. */
const most = { hosts: 1000, clusters: 1000 };

function tooMany(file: YAMLMap, places: TextPlaces): Problem | undefined {
  for (const { key, value } of file.items) {
    const name = isScalar(key) ? String(key.value) : "";
    const limit = name === "hosts" || name === "clusters" ? most[name] : Infinity;
    if (!isMap(value) || value.items.length <= limit || !isNode(key)) continue;
    const [from = 0, to = 1] = key.range ?? [];
    return {
      code: "SPEC_TOO_MANY",
      what: `${value.items.length} ${name} are too many for one file: the most is ${limit}`,
      next: "Write several files, each in a folder of its own, and name one with -f",
      position: places.position(from, to, [name]),
    };
  }
  return undefined;
}
