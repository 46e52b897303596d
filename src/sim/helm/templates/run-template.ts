import { parseTemplate } from "./parse-template.ts";
import { isTrue, printed, templateFunctions } from "./template-functions.ts";
import { TemplateError, type Operand, type Pipeline, type TemplateNode } from "./template-tree.ts";

type Scope = Map<string, unknown>;

/**
 * Renders one template. Of the language there is: fields of the dot, of `$` and of variables; text, numbers, true,
 * false and nil; pipelines and parentheses; `if`, `else`, `else if`, `with`, `range` over lists and maps; `$x :=`;
 * comments; trimming dashes; methods that are functions of the data; and the functions of template-functions.ts. There
 * are no named templates.
 */
export function runTemplate(text: string, file: string, data: unknown): string {
  const out: string[] = [];
  walk(parseTemplate(text, file), data, new Map([["$", data]]));
  return out.join("");

  function walk(nodes: TemplateNode[], dot: unknown, scope: Scope): void {
    for (const node of nodes) {
      if (node.type === "text") {
        out.push(node.text);
        continue;
      }
      const value = valueOf(node.pipeline, dot, scope);
      if (node.type === "output") {
        if (node.pipeline.variable === undefined) out.push(say(node.pipeline, () => printed(value)));
      } else if (node.type === "range") loop(node, value, dot, scope);
      else if (isTrue(value)) walk(node.body, node.type === "with" ? value : dot, new Map(scope));
      else walk(node.otherwise, dot, new Map(scope));
    }
  }

  function loop(node: TemplateNode & { type: "range" }, value: unknown, dot: unknown, scope: Scope): void {
    if (!isTrue(value)) {
      walk(node.otherwise, dot, new Map(scope));
      return;
    }
    const entries: [unknown, unknown][] = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(value as object).toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [key, item] of entries) {
      const inner = new Map(scope);
      const [first = "", second] = node.variables;
      if (second !== undefined) inner.set(first, key).set(second, item);
      else if (first !== "") inner.set(first, item);
      walk(node.body, item, inner);
    }
  }

  function valueOf(pipeline: Pipeline, dot: unknown, scope: Scope): unknown {
    let value: unknown;
    for (const [index, command] of pipeline.commands.entries())
      value = run(pipeline, command, index > 0 ? [value] : [], dot, scope);
    if (pipeline.variable !== undefined) scope.set(pipeline.variable, value);
    return value;
  }

  function run(
    pipeline: Pipeline,
    command: Operand[],
    piped: unknown[],
    dot: unknown,
    scope: Scope,
  ): unknown {
    const [head, ...rest] = command;
    if (!head) throw failed(pipeline, "missing value for command");
    const args = () => [...rest.map((each) => get(pipeline, each, dot, scope)), ...piped];
    if (head.type === "function") {
      const call = templateFunctions[head.name];
      if (!call)
        throw new TemplateError(
          `parse error at (${file}:${pipeline.line}): function "${head.name}" not defined`,
        );
      return say(pipeline, () => call(...args()));
    }
    const value = get(pipeline, head, dot, scope);
    return typeof value === "function" ? (value as (...all: unknown[]) => unknown)(...args()) : value;
  }

  function get(pipeline: Pipeline, operand: Operand, dot: unknown, scope: Scope): unknown {
    if (operand.type === "literal") return operand.value;
    if (operand.type === "group") return valueOf(operand.pipeline, dot, scope);
    if (operand.type === "function") return run(pipeline, [operand], [], dot, scope);
    const start = operand.variable === undefined ? dot : scope.get(operand.variable);
    return operand.path.reduce<unknown>((value, field) => {
      if (value === null || value === undefined)
        throw failed(pipeline, `nil pointer evaluating interface {}.${field}`);
      return (value as Record<string, unknown>)[field];
    }, start);
  }

  function say<T>(pipeline: Pipeline, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof TemplateError) || error.message.includes(file)) throw error;
      throw new TemplateError(
        `execution error at (${file}:${pipeline.line}:${pipeline.column}): ${error.message}`,
      );
    }
  }

  function failed(pipeline: Pipeline, why: string): TemplateError {
    return new TemplateError(
      `${file}:${pipeline.line}:${pipeline.column}\n  executing "${file}" at <${pipeline.source}>:\n    ${why}`,
    );
  }
}
