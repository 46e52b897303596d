import { parse } from "yaml";
import type { FileFacts } from "../../kubernetes/index.ts";

const decode = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");

export function talosFacts(text: string): FileFacts {
  const file = parse(text) as {
    context: string;
    contexts: Record<string, { endpoints: string[]; ca: string; crt: string }>;
  };
  const context = file.contexts[file.context];
  return {
    points: context?.endpoints.join() ?? "",
    authority: decode(context?.ca ?? ""),
    client: decode(context?.crt ?? ""),
  };
}
