import { apiVersion } from "../../src/controller/index.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** One of our kinds, as a person would describe it. */
export interface CustomKind {
  kind: string;
  plural: string;
  shortNames: string[];
  spec: StructuralSchema;
  status: StructuralSchema;
  columns: { name: string; type: string; jsonPath: string; priority?: number }[];
  /** CEL, about the whole object. */
  rules: { rule: string; message: string }[];
}

/** The CustomResourceDefinition that teaches an API server the kind. */
export function customResource({ kind, plural, shortNames, spec, status, columns, rules }: CustomKind) {
  const [group = "", version = ""] = apiVersion.split("/");
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames,
        categories: ["slipway"],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: {
            openAPIV3Schema: {
              type: "object",
              required: ["spec"],
              properties: {
                apiVersion: { type: "string" },
                kind: { type: "string" },
                metadata: { type: "object" },
                spec,
                status,
              },
              ...(rules.length > 0 && { "x-kubernetes-validations": rules }),
            },
          },
        },
      ],
    },
  };
}
