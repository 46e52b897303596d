/** The kinds of the controller as an API server learns them, made from the types and from the schema of the cluster file. */
import { clusterKind } from "./cluster.ts";
import { customResource } from "./custom-resource.ts";
import { hostsKind, rolloutKind, runKind } from "./others.ts";
import { yamlText } from "../yaml-text.ts";

const head = `# Made by scripts/generate-crds.ts. Change src/spec/schema or scripts/crds, then run "npm run docs".\n`;

/** File names and their text. */
export const customResourceFiles = (): Record<string, string> =>
  Object.fromEntries(kinds().map((kind) => [`${kind.plural}.yaml`, head + yamlText(customResource(kind))]));

/** The same for the add-on, which brings them to the cluster it is installed on. */
export const customResourceModule = (): string => `// Made by scripts/generate-crds.ts.
import type { Manifest } from "../../../clients/kube/index.ts";

export const customResources: (Manifest & { metadata: { name: string } })[] = ${JSON.stringify(kinds().map(customResource))};
`;

const kinds = () => [clusterKind(), hostsKind(), rolloutKind(), runKind()];
