import type { YamlValue } from "../../../../lib/index.ts";

/**
 * What Talos holds behind a field of its config. It decides how a patch is merged into it,
 * in which order its keys are written, and what is written when it is empty.
 */
export type Shape = ShapeForm & {
  /** The Talos minor from which nodes know the field; absent: all we support. */
  since?: number;
};

type ShapeForm =
  /** A patch's empty text or zero is ignored. */
  | { is: "scalar" }
  /** Every value of a patch counts, also false, zero and empty. */
  | { is: "optional" }
  /** A patch of the document that does not repeat it removes it: sizes, single addresses, expressions. */
  | { is: "atomic" }
  /** Merged part by part: scheme, host with port, path, query. */
  | { is: "url" }
  /** Replaced as a whole; `as` says how it is written, else like a free one. */
  | { is: "replaced"; as?: Shape }
  /** `2m`, which Talos writes out as `2m0s`. */
  | { is: "duration" }
  /** Any keys, written in alphabetical order. Also inside them lists are appended and types must agree. */
  | { is: "free" }
  | { is: "map"; of: Shape }
  /** Appended, except that items agreeing in one of the `keys` are merged. */
  | { is: "list"; of: Shape; keys?: string[] | undefined }
  | StructForm;

/** Fixed keys in their order; `always` are written even when empty. */
interface StructForm {
  is: "struct";
  fields: Record<string, Shape>;
  always?: Record<string, YamlValue> | undefined;
  /** Also takes keys we do not list. */
  isOpen?: boolean;
  /** Part of what holds it, so that a patch without it counts as one with nothing in it. */
  isValue?: boolean;
  /** Left out when nothing is in it; others are written as `{}`. */
  isLeftOutEmpty?: boolean;
}

export type StructShape = StructForm & { since?: number };

export const text: Shape = { is: "scalar" };
export const flag: Shape = { is: "optional" };
export const atomic: Shape = { is: "atomic" };
export const url: Shape = { is: "url" };
export const free: Shape = { is: "free" };
export const duration: Shape = { is: "duration" };
export const replaced: Shape = { is: "replaced" };
export const texts: Shape = { is: "list", of: text };
export const textMap: Shape = { is: "map", of: text };
/** One value or a list of them per key, never joined with what was there. */
export const extraArgs: Shape = { is: "map", of: replaced };

export const list = (of: Shape, keys?: string[]): Shape => ({ is: "list", of, keys });
export const replacedAs = (as: Shape): Shape => ({ is: "replaced", as });
export const map = (of: Shape): Shape => ({ is: "map", of });
export const struct = (fields: Record<string, Shape>, always?: Record<string, YamlValue>): StructShape => ({
  is: "struct",
  fields,
  always,
});
/** A struct that is always there. */
export const value = (fields: Record<string, Shape>, always?: Record<string, YamlValue>): StructShape => ({
  ...struct(fields, always),
  isValue: true,
});
/** A struct that disappears when nothing is in it. */
export const part = (fields: Record<string, Shape>, always?: Record<string, YamlValue>): StructShape => ({
  ...value(fields, always),
  isLeftOutEmpty: true,
});
export const open = (fields: Record<string, Shape>): StructShape => ({ is: "struct", fields, isOpen: true });
export const since = <S extends Shape>(minor: number, shape: S): S => ({ ...shape, since: minor });
