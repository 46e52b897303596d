/** The kinds of the controller as an API server learns them, made from the types and from the schema of the cluster file. */
import { stringify } from "yaml";
import { clusterKind } from "./cluster.ts";
import { customResource } from "./custom-resource.ts";
import { hostsKind, rolloutKind, runKind } from "./others.ts";

const head = `# Made by scripts/generate-crds.ts. Change src/spec/schema or scripts/crds, then run "npm run docs".\n`;

/** File names and their text. */
export function customResourceFiles(): Record<string, string> {
  const kinds = [clusterKind(), hostsKind(), rolloutKind(), runKind()];
  return Object.fromEntries(
    kinds.map((kind) => [
      `${kind.plural}.yaml`,
      head + stringify(customResource(kind), { lineWidth: 0, aliasDuplicateObjects: false }),
    ]),
  );
}
