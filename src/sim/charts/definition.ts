import { joined } from "./pieces.ts";

export interface DefinitionOptions {
  group: string;
  kind: string;
  plural: string;
  versions?: string[];
  isClusterWide?: boolean;
  /** Lines of `metadata.annotations`, as they stand in a template. */
  annotations?: string;
  /** Without a status of its own there is no subresource either. */
  hasStatus?: boolean;
}

/** A CustomResourceDefinition that takes every field. */
export function definition(want: DefinitionOptions): string {
  const singular = want.kind.toLowerCase();
  const versions = want.versions ?? ["v1"];
  return joined(
    "apiVersion: apiextensions.k8s.io/v1",
    "kind: CustomResourceDefinition",
    "metadata:",
    `  name: ${want.plural}.${want.group}`,
    want.annotations,
    "spec:",
    `  group: ${want.group}`,
    `  scope: ${want.isClusterWide ? "Cluster" : "Namespaced"}`,
    `  names:\n    kind: ${want.kind}\n    listKind: ${want.kind}List\n    plural: ${want.plural}\n    singular: ${singular}`,
    "  versions:",
    ...versions.map((version, index) =>
      joined(
        `    - name: ${version}`,
        "      served: true",
        `      storage: ${index === 0}`,
        (want.hasStatus ?? true) && "      subresources:\n        status: {}",
        "      schema:\n        openAPIV3Schema:\n          type: object\n          x-kubernetes-preserve-unknown-fields: true",
      ),
    ),
  );
}

/** An annotation that makes helm leave an object behind, if the value at `place` says so. */
export const keptIf = (place: string): string =>
  `  {{- if ${place} }}\n  annotations:\n    helm.sh/resource-policy: keep\n  {{- end }}`;
