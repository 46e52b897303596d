import { z } from "zod";
import { textField } from "../field.ts";
import { anyText } from "../fields.ts";
import { httpsUrl } from "../host-fields.ts";
import { oneKeyOf } from "../one-key-of.ts";
import { oneOf } from "../one-of.ts";
import { chart, objectName, ownerField, valueFields } from "./common-fields.ts";

const after = z
  .array(objectName("The name of an add-on.", "cert-manager"))
  .optional()
  .meta({
    description: "Add-ons of this cluster that come before it. Left out: all but GitOps and your own.",
    examples: [["cert-manager"]],
  });

/** As written: registries know `v1.2.3` and `1.2.3` as two tags. */
const version = textField(
  {
    description: "Its version, as its makers write it; a chart on this machine brings its own.",
    examples: ["6.9.2"],
  },
  {
    pattern: /^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/,
    code: "SPEC_BAD_VERSION",
    isNot: "a full version",
    next: "Write all three numbers, like 6.9.2, in quotes if need be",
  },
);

export const podSecurityLevels = ["privileged", "baseline", "restricted"] as const;

export const ownChartSchema = z
  .strictObject({
    name: objectName("Its name, and that of its release.", "podinfo"),
    namespace: objectName("Where it is installed; made when it is missing.", "apps"),
    podSecurity: oneOf(
      {
        description:
          "What its pods may do: the namespace is labelled before they start. Left out: what the cluster allows by itself, on Talos `baseline`.",
      },
      podSecurityLevels,
    ).optional(),
    chart,
    version: version.optional(),
    ...ownerField,
    ...valueFields,
    after,
  })
  .meta({
    id: "addon-chart",
    description: "A chart of your own.",
    examples: [
      {
        name: "podinfo",
        namespace: "apps",
        chart: { oci: "oci://ghcr.io/stefanprodan/charts/podinfo" },
        version: "6.9.2",
      },
    ],
  });

export const ownManifestSchema = oneKeyOf(
  z.strictObject({
    name: objectName("Its name.", "policies"),
    url: httpsUrl(
      { description: "Where the manifests are fetched.", examples: ["https://example.org/install.yaml"] },
      "https://example.org/install.yaml",
    ).optional(),
    file: anyText({
      description: "A file of manifests beside the cluster file.",
      examples: ["./policies.yaml"],
    }).optional(),
    namespace: objectName("Where objects belong that name no namespace.", "apps").optional(),
    ...ownerField,
    after,
  }),
  "url or file",
  ["name", "namespace", "owner", "after"],
).meta({
  id: "addon-manifest",
  description: "Manifests of your own: many objects in one file.",
  examples: [{ name: "policies", file: "./policies.yaml" }],
});
