import { readModule, sourceOf, type DeclarationModule, type Source } from "./read-module.ts";
import { referencesIn, type Reference } from "./references.ts";

/** The declarations of one entry in one text, and what there is to say about them. */
export interface JoinedDeclarations {
  text: string;
  /** Types that stand in a signature and cannot be named by those who call it. */
  unnamed: string[];
}

/** A declaration, found: the module it stands in and its name there. */
interface Found {
  module: DeclarationModule;
  name: string;
}

/**
 * Everything an entry exports and what that mentions, in one text. Nothing is renamed: two declarations of one name, or a
 * type of another package than Node, are a mistake of the entry.
 */
export function joinDeclarations(
  entry: string,
  read: (file: string) => DeclarationModule = cached(),
): JoinedDeclarations {
  const joined = new Map<string, Found>();
  const parts: { name: string; text: string }[] = [];
  const packages = new Map<string, Set<string>>();

  const add = (found: Found): string => {
    const { module, name } = found;
    const known = joined.get(name);
    if (known?.module === module) return name;
    if (known) throw new Error(`"${name}" is declared in ${known.module.file} and in ${module.file}`);
    joined.set(name, found);
    const { statements = [] } = module.declarations.get(name) ?? {};
    for (const { node, comment } of statements) {
      const references = referencesIn(node).map((each) => ({ ...each, to: refer(module, each) }));
      let text = module.text.slice(node.start, node.end);
      for (const { start, end, to } of references.toReversed())
        text = text.slice(0, start - node.start) + to + text.slice(end - node.start);
      parts.push({ name, text: comment + text });
    }
    return name;
  };

  /** The text that stands for a mentioned name in the joined declarations. */
  const refer = (module: DeclarationModule, reference: Reference): string => {
    const [first = "", ...rest] = reference.names;
    const from = sourceOf(module.file, reference.source);
    const start: Source | Found | undefined =
      from === undefined ? resolve(module, first) : resolveSource({ from, name: first });
    if (start === undefined) return reference.names.join(".");
    if ("module" in start) return [add(start), ...rest].join(".");
    if (start.name === "*" && rest[0] !== undefined && isOurs(start.from)) {
      const inside = resolveSource({ from: start.from, name: rest[0] });
      if (inside && "module" in inside) return [add(inside), ...rest.slice(1)].join(".");
    }
    if (!start.from.startsWith("node:"))
      throw new Error(`${module.file} mentions ${reference.names.join(".")} of ${start.from}`);
    const names = packages.get(start.from) ?? new Set();
    packages.set(start.from, names.add(start.name === "*" ? `* as ${first}` : importText(start.name, first)));
    return reference.names.join(".");
  };

  /** Where a name of a module is declared; undefined for what every program knows. */
  const resolve = (module: DeclarationModule, name: string): Source | Found | undefined => {
    if (module.declarations.has(name)) return { module, name };
    const source = module.imports.get(name);
    return source && (resolveSource(source) ?? source);
  };

  const resolveSource = (source: Source): Source | Found | undefined => {
    if (!isOurs(source.from) || source.name === "*") return source;
    return resolveExport(read(source.from), source.name);
  };

  const resolveExport = (module: DeclarationModule, name: string): Source | Found | undefined => {
    const { target } = module.exports.get(name) ?? {};
    if (typeof target === "string") return resolve(module, target);
    if (target) return resolveSource(target);
    for (const { from } of module.stars) {
      const found = resolveExport(read(from), name);
      if (found) return found;
    }
    return undefined;
  };

  const names = publicNames(read(entry), read);
  const exported = [...names].map(([name, isType]): Named => {
    const found = resolveExport(read(entry), name);
    if (!found || !("module" in found))
      throw new Error(`${entry} exports ${name}, which is declared nowhere`);
    return { name, own: add(found), isType: isType && !isPlainType(found) };
  });

  const isNamed = new Set(exported.map(({ own }) => own));
  const unnamed = [...joined].filter(
    ([name, found]) => !isNamed.has(name) && found.module.declarations.get(name)?.kind === "type",
  );
  return {
    unnamed: unnamed.map(([name, { module }]) => `${name} (${module.file})`),
    text: joinText(parts, exported, packages),
  };
}

/** A public name, the name of its declaration, and whether the value that it declares is kept back. */
interface Named {
  name: string;
  own: string;
  isType: boolean;
}

function joinText(
  parts: readonly { name: string; text: string }[],
  exported: readonly Named[],
  packages: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  const inPlace = new Set(
    exported.filter(({ name, own, isType }) => name === own && !isType).map(({ name }) => name),
  );
  const atTheEnd = exported
    .filter(({ name }) => !inPlace.has(name))
    .map(({ name, own, isType }) => `${isType ? "type " : ""}${name === own ? "" : `${own} as `}${name}`);
  const imports = [...packages].flatMap(([from, names]) => {
    const spaces = [...names].filter((name) => name.startsWith("*"));
    const single = [...names].filter((name) => !name.startsWith("*"));
    const list = single.length === 0 ? [] : [`{ ${single.toSorted().join(", ")} }`];
    return [...spaces, ...list].map((what) => `import type ${what} from "${from}";\n`);
  });
  const declarations = parts.map(({ name, text }) =>
    text.replace(/^((?:\/\*\*[^]*?\*\/\s*)?)(?:declare )?/, (_, comment: string) => {
      const isType = /^(?:interface|type)\b/.test(text.slice(comment.length).replace(/^declare /, ""));
      return `${comment}${inPlace.has(name) ? "export " : ""}${isType ? "" : "declare "}`;
    }),
  );
  const end = atTheEnd.length === 0 ? "" : ` ${atTheEnd.join(", ")} `;
  return `${imports.join("")}${declarations.join("\n")}\nexport {${end}};\n`;
}

/** All public names of a module, those it passes on included, and whether they are types only. */
function publicNames(
  module: DeclarationModule,
  read: (file: string) => DeclarationModule,
): Map<string, boolean> {
  const passedOn = module.stars.flatMap(({ from, isType }) =>
    [...publicNames(read(from), read)].map(([name, isOnly]): [string, boolean] => [name, isType || isOnly]),
  );
  const own = [...module.exports].map(([name, { isType }]): [string, boolean] => [name, isType]);
  return new Map([...passedOn, ...own]);
}

/** An interface or an alias, which is no value anyway. */
const isPlainType = ({ module, name }: Found): boolean =>
  module.declarations.get(name)?.statements.every(({ node }) => /Interface|TypeAlias/.test(node.type)) ===
  true;

const isOurs = (from: string): boolean => from.endsWith(".d.ts");

const importText = (name: string, local: string): string => (name === local ? name : `${name} as ${local}`);

function cached(): (file: string) => DeclarationModule {
  const modules = new Map<string, DeclarationModule>();
  return (file) => {
    const module = modules.get(file) ?? readModule(file);
    modules.set(file, module);
    return module;
  };
}
