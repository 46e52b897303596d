import { parseAllDocuments } from "yaml";
import { learnSecret } from "../lib/index.ts";

/** Stand beside secrets, are told everywhere, and are none. */
const open = new Set(["url", "token_id", "region", "insecure", "hostname"]);
const shortest = 16;

/** The text as it is; from now on nothing that it keeps secret is told. */
export function learned(name: string, text: string): string {
  if (name.endsWith(".yaml")) for (const secret of secretsInYaml(text)) learnSecret(secret);
  else learnSecret(text);
  return text;
}

/** Whatever is long enough to be a secret. A file that cannot be read is for others to explain. */
function secretsInYaml(text: string): string[] {
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string" && value.length >= shortest) found.push(value);
    if (typeof value !== "object" || value === null) return;
    for (const [key, part] of Object.entries(value)) if (!open.has(key)) collect(part);
  };
  for (const document of parseAllDocuments(text)) if (document.errors.length === 0) collect(document.toJS());
  return found;
}
