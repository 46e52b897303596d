/** A template taken apart. */
export type TemplateNode =
  | { type: "text"; text: string }
  | { type: "output"; pipeline: Pipeline }
  | { type: "if"; pipeline: Pipeline; body: TemplateNode[]; otherwise: TemplateNode[] }
  | { type: "with"; pipeline: Pipeline; body: TemplateNode[]; otherwise: TemplateNode[] }
  | {
      type: "range";
      pipeline: Pipeline;
      /** `$key, $value` or only `$value`. */
      variables: string[];
      body: TemplateNode[];
      otherwise: TemplateNode[];
    };

/** `a | b | c`, with the text it was written as and where. */
export interface Pipeline {
  source: string;
  line: number;
  column: number;
  /** `$x := …` */
  variable?: string;
  commands: Operand[][];
}

export type Operand =
  | { type: "literal"; value: string | number | boolean | null }
  /** `.a.b` from the dot, or from a variable; `$` is the whole. */
  | { type: "field"; variable?: string | undefined; path: string[] }
  | { type: "function"; name: string }
  | { type: "group"; pipeline: Pipeline };

/** What makes a template unusable, worded as helm does. */
export class TemplateError extends Error {}
