import { z } from "zod";
import { type AddonKind, addonsField } from "../addons/index.ts";
import { backupsSchema } from "./backups.ts";
import { clusterSchema } from "./cluster.ts";
import { field, quote, type Refusal, refuse } from "./fields/field.ts";
import { hostSchema } from "./host.ts";
import { secretsSchema } from "./secrets.ts";

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

const clusterWith = (addons: readonly AddonKind[]) =>
  clusterSchema
    .extend({ addons: addonsField(addons) })
    .register(z.globalRegistry, { id: "cluster", description: "One Kubernetes cluster." });

const made = new WeakMap<readonly AddonKind[], ReturnType<typeof makeSchema>>();

/**
 * The cluster file as it may be written with these add-ons: types, checks, editor help and the reference page all come
 * from here. Made once for each list.
 */
export function fileSchema(addons: readonly AddonKind[]) {
  const known = made.get(addons) ?? makeSchema(addons);
  made.set(addons, known);
  return known;
}

const makeSchema = (addons: readonly AddonKind[]) =>
  z
    .strictObject({
      version,
      hosts: z
        .record(z.string(), hostSchema)
        .prefault({})
        .register(z.globalRegistry, { description: "The hypervisors, by name." }),
      clusters: z
        .record(z.string(), clusterWith(addons))
        .prefault({})
        .register(z.globalRegistry, { description: "The clusters, by name." }),
      secrets: secretsSchema.optional(),
      backups: backupsSchema.optional(),
    })
    .register(z.globalRegistry, {
      title: "Slipway cluster file",
      description: "Hosts, and the Kubernetes clusters on them.",
    });

export type WrittenFile = z.output<ReturnType<typeof makeSchema>>;
