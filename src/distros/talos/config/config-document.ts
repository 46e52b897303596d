import { writeYaml, type YamlValue } from "../../../lib/index.ts";

/** One YAML document of a machine config: the large one without a kind, or a small one with it. */
export type MachineConfigDocument = { [key: string]: YamlValue };

/** A document, or a map inside of one. */
export const isMap = (value: unknown): value is MachineConfigDocument =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The config as Talos's own tools write it: four spaces, no comments. The same documents always give the same bytes. */
export const encodeMachineConfig = (documents: readonly MachineConfigDocument[]): string =>
  documents.map((document) => writeYaml(document)).join("---\n");

/** A document besides the large one. */
export const configDocument = (kind: string, fields: MachineConfigDocument): MachineConfigDocument => ({
  apiVersion: "v1alpha1",
  kind,
  ...fields,
});
