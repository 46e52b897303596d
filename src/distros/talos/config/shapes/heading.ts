import type { YamlValue } from "../../../../lib/index.ts";
import { struct, text, type Shape, type StructShape } from "./shape.ts";

type Fields = Record<string, Shape>;

/** A kind of which a config holds one document. */
export const single = (fields: Fields, always: Record<string, YamlValue> = {}): StructShape =>
  struct({ apiVersion: text, kind: text, ...fields }, { kind: "", ...always });

/** A kind of which a config holds one document per name. */
export const named = (fields: Fields, always: Record<string, YamlValue> = {}): StructShape =>
  struct({ apiVersion: text, kind: text, name: text, ...fields }, { kind: "", name: "", ...always });
