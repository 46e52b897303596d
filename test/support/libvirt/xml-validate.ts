import { spawnSync } from "node:child_process";
import { succeeds } from "../peers.ts";

/** libvirt's own check of XML needs a program of libxml2 that does not come with it. */
export const canValidateXml = succeeds("virt-xml-validate", "--version") && succeeds("xmllint", "--version");

/** What libvirt's schema has against a text; empty: nothing, or nobody can say. */
export function schemaComplaints(
  xml: string,
  schema: "domain" | "network" | "storagepool" | "storagevol",
): string {
  if (!canValidateXml) return "";
  const run = spawnSync("virt-xml-validate", ["-", schema], { input: xml, encoding: "utf8" });
  return run.status === 0 ? "" : run.stderr;
}
