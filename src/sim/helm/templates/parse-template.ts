import { TemplateError, type Operand, type Pipeline, type TemplateNode } from "./template-tree.ts";

interface Piece {
  type: "text" | "action";
  text: string;
  line: number;
  column: number;
}

/** Takes a template apart. `file` is for messages. */
export function parseTemplate(text: string, file: string): TemplateNode[] {
  const pieces = cut(text);
  let at = 0;

  function body(isInner: boolean): { nodes: TemplateNode[]; end: string } {
    const nodes: TemplateNode[] = [];
    for (; at < pieces.length;) {
      const piece = pieces[at] as Piece;
      at += 1;
      if (piece.type === "text") {
        if (piece.text !== "") nodes.push({ type: "text", text: piece.text });
        continue;
      }
      const action = piece.text.trim();
      if (action.startsWith("/*")) continue;
      if (isInner && /^(end$|else\b)/.test(action)) return { nodes, end: action };
      nodes.push(node(action, piece));
    }
    if (isInner) throw new TemplateError(`parse error at (${file}): unexpected EOF`);
    return { nodes, end: "" };
  }

  function node(action: string, piece: Piece): TemplateNode {
    const block = /^(if|with|range)\s+(.*)$/s.exec(action);
    if (!block) return { type: "output", pipeline: pipelineOf(action, piece, file) };
    return blockOf(block[1] as "if" | "with" | "range", block[2] ?? "", piece);
  }

  function blockOf(type: "if" | "with" | "range", head: string, piece: Piece): TemplateNode {
    const looped = type === "range" ? /^((?:\$\w+\s*,\s*)?\$\w+)\s*:=\s*(.*)$/s.exec(head) : null;
    const pipeline = pipelineOf(looped?.[2] ?? head, piece, file);
    const variables = looped?.[1]?.split(",").map((each) => each.trim()) ?? [];
    const first = body(true);
    const otherwise = elseOf(first.end, piece);
    const common = { pipeline, body: first.nodes, otherwise };
    return type === "range" ? { type, variables, ...common } : { type, ...common };
  }

  function elseOf(end: string, piece: Piece): TemplateNode[] {
    if (end === "end") return [];
    const more = /^else\s+(if|with)\s+(.*)$/s.exec(end);
    if (more) return [blockOf(more[1] as "if" | "with", more[2] ?? "", piece)];
    return body(true).nodes;
  }

  return body(false).nodes;
}

/** Text and actions in turn; `{{-` and `-}}` take the white space beside them away. */
function cut(text: string): Piece[] {
  const pieces: Piece[] = [];
  let line = 1;
  let lineStart = 0;
  let last = 0;
  let isTrimmed = false;
  const add = (raw: string, trimEnd: boolean) => {
    let kept = isTrimmed ? raw.trimStart() : raw;
    if (trimEnd) kept = kept.trimEnd();
    pieces.push({ type: "text", text: kept, line, column: 0 });
  };
  for (const match of text.matchAll(/\{\{(-\s)?((?:"(?:[^"\\]|\\.)*"|`[^`]*`|(?!\}\}).)*?)(\s-)?\}\}/gs)) {
    add(text.slice(last, match.index), match[1] !== undefined);
    const before = text.slice(0, match.index);
    line = before.split("\n").length;
    lineStart = before.lastIndexOf("\n") + 1;
    pieces.push({ type: "action", text: match[2] ?? "", line, column: match.index - lineStart });
    isTrimmed = match[3] !== undefined;
    last = match.index + match[0].length;
  }
  add(text.slice(last), false);
  return pieces;
}

const tokenPattern =
  /\s*("(?:[^"\\]|\\.)*"|`[^`]*`|:=|[|()]|\$?[\w]*(?:\.\w+)+|\.|\$\w*|-?\d+(?:\.\d+)?|\w+)/gy;

function pipelineOf(source: string, place: Pick<Piece, "line" | "column">, file: string): Pipeline {
  const tokens: string[] = [];
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < source.trimEnd().length) {
    const found = tokenPattern.exec(source);
    if (!found) throw new TemplateError(`parse error at (${file}:${place.line}): unexpected <${source}>`);
    tokens.push(found[1] ?? "");
  }
  let at = 0;

  function pipeline(): Pipeline {
    const parsed: Pipeline = { source, line: place.line, column: place.column, commands: [] };
    if (tokens[at + 1] === ":=") {
      parsed.variable = tokens[at] ?? "";
      at += 2;
    }
    let command: Operand[] = [];
    for (; at < tokens.length && tokens[at] !== ")";) {
      const token = tokens[at] ?? "";
      at += 1;
      if (token === "|") {
        parsed.commands.push(command);
        command = [];
      } else if (token === "(") {
        command.push({ type: "group", pipeline: pipeline() });
        at += 1;
      } else command.push(operand(token));
    }
    parsed.commands.push(command);
    return parsed;
  }

  return pipeline();
}

function operand(token: string): Operand {
  if (token.startsWith('"')) return { type: "literal", value: JSON.parse(token) as string };
  if (token.startsWith("`")) return { type: "literal", value: token.slice(1, -1) };
  if (/^-?\d/.test(token)) return { type: "literal", value: Number(token) };
  if (token === "true" || token === "false") return { type: "literal", value: token === "true" };
  if (token === "nil") return { type: "literal", value: null };
  const field = /^(\$\w*)?\.?(.*)$/.exec(token);
  if (token.startsWith("$") || token.startsWith(".")) {
    const path = (field?.[2] ?? "").split(".").filter((part) => part !== "");
    return { type: "field", path, variable: field?.[1] };
  }
  return { type: "function", name: token };
}
