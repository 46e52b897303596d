import { readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "rolldown/parseAst";

/** Any node of a syntax tree: its fields are looked at by name. */
export interface AstNode {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** Where a name comes from: another module, under the name it has there, or `*` for all of it. */
export interface Source {
  from: string;
  name: string;
}

/** A declared name, with the statements that declare it: functions may have several. */
export interface Declaration {
  kind: "type" | "value";
  statements: { node: AstNode; comment: string }[];
}

/** What stands behind a public name: a local name, or where it is passed on from. */
export interface Exported {
  target: string | Source;
  /** Of a class or a value, only the type is there. */
  isType: boolean;
}

/** One file of declarations, as far as joining them needs to know it. */
export interface DeclarationModule {
  file: string;
  text: string;
  imports: Map<string, Source>;
  declarations: Map<string, Declaration>;
  exports: Map<string, Exported>;
  /** Modules of which everything is passed on. */
  stars: { from: string; isType: boolean }[];
}

const kinds: Record<string, Declaration["kind"]> = {
  TSInterfaceDeclaration: "type",
  TSTypeAliasDeclaration: "type",
  ClassDeclaration: "type",
  TSDeclareFunction: "value",
  FunctionDeclaration: "value",
  VariableDeclaration: "value",
};

export function readModule(file: string): DeclarationModule {
  const text = readFileSync(file, "utf8");
  const module: DeclarationModule = {
    ...{ file, text, imports: new Map(), declarations: new Map(), exports: new Map(), stars: [] },
  };
  let end = 0;
  for (const statement of parseAst(text, { lang: "dts" }, file).body as unknown as AstNode[]) {
    readStatement(module, statement, commentIn(text.slice(end, statement.start)));
    end = statement.end;
  }
  return module;
}

function readStatement(module: DeclarationModule, statement: AstNode, comment: string): void {
  const specifiers = (statement["specifiers"] ?? []) as AstNode[];
  const from = sourceOf(module.file, statement["source"]);
  const declared = statement["declaration"] as AstNode | undefined;
  if (statement.type === "ImportDeclaration") {
    for (const each of specifiers)
      module.imports.set(nameOf(each["local"]), { from: from ?? "", name: importedName(each) });
  } else if (statement.type === "ExportAllDeclaration") {
    const isType = isTypeOnly(statement);
    const target = { from: from ?? "", name: "*" };
    if (statement["exported"]) module.exports.set(nameOf(statement["exported"]), { target, isType });
    else module.stars.push({ from: target.from, isType });
  } else if (statement.type === "ExportNamedDeclaration") {
    for (const each of specifiers) {
      const local = nameOf(each["local"]);
      const target = from === undefined ? local : { from, name: local };
      const isType = isTypeOnly(statement) || isTypeOnly(each);
      module.exports.set(nameOf(each["exported"]), { target, isType });
    }
    for (const name of declared ? declare(module, declared, comment) : [])
      module.exports.set(name, { target: name, isType: false });
  } else declare(module, statement, comment);
}

function declare(module: DeclarationModule, node: AstNode, comment: string): string[] {
  const kind = kinds[node.type];
  if (!kind) throw new Error(`${module.file}: ${node.type} is not known in declarations`);
  const declarators = (node["declarations"] ?? [node]) as AstNode[];
  const names = declarators.map((each) => nameOf(each["id"]));
  for (const name of names) {
    const known = module.declarations.get(name) ?? { kind, statements: [] };
    known.statements.push({ node, comment });
    module.declarations.set(name, known);
  }
  return names;
}

const isTypeOnly = (node: AstNode): boolean => node["exportKind"] === "type";

/** The last comment before a statement, which is about it. */
const commentIn = (text: string): string => {
  const from = text.lastIndexOf("/**");
  return from === -1 ? "" : `${text.slice(from).trim()}\n`;
};

const importedName = (specifier: AstNode): string =>
  specifier.type === "ImportNamespaceSpecifier"
    ? "*"
    : specifier.type === "ImportDefaultSpecifier"
      ? "default"
      : nameOf(specifier["imported"]);

/** The name of an identifier, or the text of a literal. */
export const nameOf = (node: unknown): string => {
  const { name, value } = node as { name?: string; value?: string };
  return name ?? value ?? "";
};

/** A file of ours as its path, a package by its name. */
export function sourceOf(file: string, source: unknown): string | undefined {
  if (source === undefined || source === null) return undefined;
  const place = nameOf(source);
  return place.startsWith(".") ? path.join(path.dirname(file), place.replace(/\.ts$/, ".d.ts")) : place;
}
