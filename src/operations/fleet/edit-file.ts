import { isScalar, parseDocument } from "yaml";

/** A field of a cluster that gets another value. */
export interface FieldEdit {
  /** Below the cluster: `["talos", "version"]`. */
  path: string[];
  value: string;
}

/** The text of a cluster file with other values, and with all its comments. Only the values change where they stand already. */
export function editCluster(text: string, cluster: string, edits: readonly FieldEdit[]): string {
  return edits.reduce(
    (current, { path, value }) => editOne(current, ["clusters", cluster, ...path], value),
    text,
  );
}

function editOne(text: string, path: string[], value: string): string {
  const document = parseDocument(text);
  const found = document.getIn(path, true);
  if (isScalar(found) && found.range) {
    const [from, to] = found.range;
    return `${text.slice(0, from)}${value}${text.slice(to)}`;
  }
  document.setIn(path, value);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}
