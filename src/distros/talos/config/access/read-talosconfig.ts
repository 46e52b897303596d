import { parseDocument } from "yaml";
import { z } from "zod";
import { talosconfigUnreadable } from "../errors.ts";

/** A user of a cluster, from a talosconfig. PEM texts. */
export interface TalosconfigContext {
  name: string;
  endpoints: string[];
  nodes: string[];
  ca: string;
  cert: string;
  key: string;
}

const context = z.object({
  endpoints: z.array(z.string()).nullish(),
  nodes: z.array(z.string()).nullish(),
  /** Older files name a single endpoint so. */
  target: z.string().nullish(),
  ca: z.string(),
  crt: z.string(),
  key: z.string(),
});
const file = z.object({ context: z.string(), contexts: z.record(z.string(), context) });

/** The current context of a talosconfig. What it holds never reaches a message. */
export function readTalosconfig(text: string, source: string): TalosconfigContext {
  const document = parseDocument(text, { logLevel: "silent" });
  const [broken] = document.errors;
  if (broken)
    throw talosconfigUnreadable({ source, why: `line ${broken.linePos?.[0].line ?? 1} is not YAML` });
  const read = file.safeParse(document.toJS());
  if (!read.success) {
    const place = read.error.issues[0]?.path.join(".") ?? "";
    throw talosconfigUnreadable({ source, why: `"${place}" is missing or not of the right form` });
  }
  const { context: name, contexts } = read.data;
  const found = contexts[name];
  if (!found) throw talosconfigUnreadable({ source, why: `its current context "${name}" is not in it` });
  const { endpoints, nodes, target, ca, crt, key } = found;
  return {
    name,
    endpoints: endpoints?.length ? endpoints : target ? [target] : [],
    nodes: nodes ?? [],
    ca: decoded(ca),
    cert: decoded(crt),
    key: decoded(key),
  };
}

const decoded = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");
