import type { RawParams } from "../parameters/verify.ts";

/**
 * Decodes a query or form body with the server's quirks: pairs end at `&` and at `;`, of a value with a bare `=` only the
 * part before it is kept, `+` is a blank, and a name given twice becomes a list.
 */
export function decodeForm(text: string): RawParams {
  const params: RawParams = {};
  for (const pair of text.split(/[&;]/)) {
    if (pair === "") continue;
    const [name = "", value] = pair.split("=");
    add(params, decode(name), value === undefined ? "" : decode(value));
  }
  return params;
}

function add(params: RawParams, name: string, value: string): void {
  const before = params[name];
  if (before === undefined) params[name] = value;
  else params[name] = Array.isArray(before) ? [...(before as unknown[]), value] : [before, value];
}

function decode(text: string): string {
  const bytes = text
    .replaceAll("+", " ")
    .replace(/%([0-9a-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
