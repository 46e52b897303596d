/** A line of the journal in the words of the program that wrote it: without time, level and place in the code. */
export function messageIn(line: string): string {
  const fields = /(?:^|\s)msg="((?:[^"\\]|\\.)*)"(?:\s+error="((?:[^"\\]|\\.)*)")?/.exec(line);
  if (fields) {
    const [, message = "", error] = fields;
    return [message, ...(error === undefined ? [] : [error])].map(unescaped).join(": ");
  }
  const plain = /(?:^|\s)msg=(\S+)/.exec(line)?.[1];
  if (plain !== undefined) return plain;
  if (line.startsWith("{")) return ofJson(line) ?? line;
  return line.replace(/^[EWIF]\d{4} [\d:.]+ +\d+ [^\]]*\] /, "").trim();
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_, escaped: string) =>
    escaped === "n" ? "\n" : escaped === "t" ? "\t" : escaped,
  );

/** As etcd writes. */
function ofJson(line: string): string | undefined {
  try {
    const { msg, error } = JSON.parse(line) as { msg?: unknown; error?: unknown };
    if (typeof msg !== "string") return undefined;
    return typeof error === "string" ? `${msg}: ${error}` : msg;
  } catch {
    return undefined;
  }
}
