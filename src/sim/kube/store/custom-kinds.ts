import { allVerbs, type Kind, type PrinterColumn } from "./kinds.ts";
import type { KubeObject } from "./object.ts";

/** The parts of a CustomResourceDefinition that decide what is served. */
export interface Definition extends KubeObject {
  spec: {
    group: string;
    scope: "Namespaced" | "Cluster";
    names: {
      plural: string;
      kind: string;
      singular?: string;
      listKind?: string;
      shortNames?: string[];
      categories?: string[];
    };
    versions: {
      name: string;
      served: boolean;
      storage: boolean;
      schema?: { openAPIV3Schema?: unknown };
      subresources?: Record<string, unknown>;
      additionalPrinterColumns?: PrinterColumn[];
    }[];
  };
}

const ageColumn: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The resources a definition makes available, one per served version. */
export function customKinds(definition: Definition): Kind[] {
  const { group, scope, names, versions } = definition.spec;
  return versions
    .filter((version) => version.served)
    .map((version) => ({
      group,
      version: version.name,
      kind: names.kind,
      resource: names.plural,
      singular: names.singular ?? names.kind.toLowerCase(),
      isNamespaced: scope === "Namespaced",
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      verbs: allVerbs,
      subresources: Object.keys(version.subresources ?? {}),
      custom: {
        schema: version.schema?.openAPIV3Schema,
        columns: version.additionalPrinterColumns ?? [ageColumn],
      },
    }));
}

/** What the server itself writes into a definition once it serves it. */
export function establishedStatus(definition: Definition, time: string): unknown {
  const { names, versions } = definition.spec;
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: "True",
    lastTransitionTime: time,
    reason,
    message,
  });
  return {
    conditions: [
      condition("NamesAccepted", "NoConflicts", "no conflicts found"),
      condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
    ],
    acceptedNames: {
      ...names,
      singular: names.singular ?? names.kind.toLowerCase(),
      listKind: names.listKind ?? `${names.kind}List`,
    },
    storedVersions: versions.filter((version) => version.storage).map((version) => version.name),
  };
}
