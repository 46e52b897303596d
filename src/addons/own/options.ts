import { z } from "zod";
import {
  anyText,
  chart,
  given,
  httpsUrl,
  lazy,
  objectName,
  oneKeyOf,
  oneOf,
  ownerField,
  type PodSecurity,
  textField,
  valueFields,
} from "../../spec/index.ts";

export interface OwnChartOptions {
  namespace: string;
  /** What its pods may do; absent: what the cluster allows by itself. */
  podSecurity?: PodSecurity;
  /** Ids of the add-ons before it; absent: all that Slipway knows, GitOps left out. */
  after?: string[];
}

export interface OwnManifestOptions {
  from: { url: string } | { file: string };
  /** For objects that name none. */
  namespace?: string;
  after?: string[];
}

const afterField = z
  .array(objectName("The name of an add-on.", "cert-manager"))
  .optional()
  .register(z.globalRegistry, {
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

const podSecurityLevels = ["privileged", "baseline", "restricted"] as const;

export const ownChartSchema = lazy(() =>
  z
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
      after: afterField,
    })
    .register(z.globalRegistry, {
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
    }),
);

export const ownManifestSchema = lazy(() =>
  oneKeyOf(
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
      after: afterField,
    }),
    "url or file",
    ["name", "namespace", "owner", "after"],
  ).register(z.globalRegistry, {
    id: "addon-manifest",
    description: "Manifests of your own: many objects in one file.",
    examples: [{ name: "policies", file: "./policies.yaml" }],
  }),
);

export type WrittenChart = z.output<typeof ownChartSchema>;
export type WrittenManifest = z.output<typeof ownManifestSchema>;

export const completeChart = ({ namespace, podSecurity, after }: WrittenChart): OwnChartOptions => ({
  namespace,
  ...given({ podSecurity, after }),
});

export const completeManifest = ({ url, file, namespace, after }: WrittenManifest): OwnManifestOptions => ({
  from: url === undefined ? { file: file ?? "" } : { url },
  ...given({ namespace, after }),
});
