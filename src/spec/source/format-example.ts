import { stringify } from "yaml";

/** A value as a person would write it in the file, on one line. */
export function formatExample(value: unknown): string {
  const text = stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
  // Short addresses need no quotes here, see YamlDocument.
  return text.replace(/"(\.\d+)"/g, "$1").replace(/\[ (.*?) \]/g, "[$1]");
}
