import { nameOf, type AstNode } from "./read-module.ts";

/** A name that a declaration mentions, and where: one alone, `space.Name`, or `import("…").Name`. */
export interface Reference {
  start: number;
  end: number;
  /** Of `import("…")`. */
  source?: unknown;
  /** `["machine", "Version"]` for `machine.Version`. */
  names: string[];
}

/** Where a syntax tree of declarations mentions names. */
const mentions: Record<string, string> = {
  TSTypeReference: "typeName",
  TSTypeQuery: "exprName",
  TSInterfaceHeritage: "expression",
  TSClassImplements: "expression",
  ClassDeclaration: "superClass",
};

/** Every name a declaration mentions that stands for something outside of it, in the order of the text. */
export function referencesIn(root: AstNode): Reference[] {
  const found: Reference[] = [];
  const parameters = new Set<string>();
  const visit = (node: AstNode): void => {
    if (node.type === "TSTypeParameter") parameters.add(nameOf(node["name"]));
    if (node.type === "TSMappedType") parameters.add(nameOf(node["key"]));
    if (node.type === "TSImportType") {
      const qualifier = node["qualifier"] as AstNode | null;
      const names = qualifier ? namesOf(qualifier) : ["*"];
      found.push({ start: node.start, end: qualifier?.end ?? node.end, source: node["source"], names });
    }
    const mentioned = node[mentions[node.type] ?? ""];
    if (isNode(mentioned) && mentioned.type !== "TSImportType")
      found.push({ start: mentioned.start, end: mentioned.end, names: namesOf(mentioned) });
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child);
  };
  visit(root);
  return found
    .filter(({ names, source }) => source !== undefined || !parameters.has(names[0] ?? ""))
    .toSorted((a, b) => a.start - b.start);
}

const isNode = (value: unknown): value is AstNode =>
  typeof value === "object" && value !== null && typeof (value as AstNode).type === "string";

function namesOf(node: AstNode): string[] {
  if (node.type === "Identifier" || node.type === "ThisExpression") return [nameOf(node)];
  const [left, right] = [node["left"] ?? node["object"], node["right"] ?? node["property"]];
  return [...namesOf(left as AstNode), ...namesOf(right as AstNode)];
}
