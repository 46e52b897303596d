/** Something to merge onto a generated config. */
export interface ConfigPatch {
  /** How messages name it: `cluster.yaml:31:9` or the name of its file. */
  source: string;
  /** YAML documents as data; a list is a JSON patch, which Talos allows only on configs of one document. */
  documents: unknown[];
  /** The text it was read from, so that messages can name a line. */
  text?: string;
}
