import { parseAst } from "rolldown/parseAst";

interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  id?: { name?: string };
  key?: { name?: string };
}

/** The names of functions in a text of TypeScript that have more lines than this, those around others first. */
export function longFunctionsIn(text: string, file: string, mostLines: number): string[] {
  const found: string[] = [];
  const linesOf = ({ start, end }: SyntaxNode): number => text.slice(start, end).split("\n").length;
  const visit = (value: unknown, around: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, around);
    if (!isNode(value)) return;
    const name = value.id?.name ?? value.key?.name ?? around;
    if (isFunction(value) && linesOf(value) > mostLines) found.push(name);
    for (const child of Object.values(value)) visit(child, name);
  };
  visit(parseAst(text, { lang: file.endsWith(".tsx") ? "tsx" : "ts" }, file), "");
  return found;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;

const isFunction = ({ type }: SyntaxNode): boolean =>
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);
