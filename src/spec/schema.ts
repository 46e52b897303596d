import { z } from "zod";
import { clusterSchema } from "./cluster-schema.ts";
import { field, quote, type Refusal, refuse } from "./field.ts";
import { hostSchema } from "./host-schema.ts";
import { secretsSchema } from "./secrets-schema.ts";

export const fileVersion = 1;

const version = field(
  {
    type: "integer",
    enum: [fileVersion],
    description: "The version of the file format.",
    examples: [fileVersion],
  },
  (written): number | Refusal => {
    if (written === fileVersion) return fileVersion;
    const what = `Format version ${quote(written)} is not known; this Slipway reads version ${fileVersion}`;
    return refuse("SPEC_FILE_VERSION", what, `Write version: ${fileVersion}`);
  },
);

/** The cluster file as it may be written: types, checks, editor help and the reference page all come from here. */
export const fileSchema = z
  .strictObject({
    version,
    hosts: z.record(z.string(), hostSchema).prefault({}).meta({ description: "The hypervisors, by name." }),
    clusters: z
      .record(z.string(), clusterSchema)
      .prefault({})
      .meta({ description: "The clusters, by name." }),
    secrets: secretsSchema.optional(),
  })
  .meta({ title: "Slipway cluster file", description: "Hosts, and the Kubernetes clusters on them." });

export type WrittenFile = z.output<typeof fileSchema>;
