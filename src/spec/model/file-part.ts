import type { FleetParts } from "../gen/fleet-file.ts";

type Writable<T> = T extends readonly (infer Item)[]
  ? Writable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Writable<T[Key]> }
    : T;

/** A part of the cluster file by its name, for what the model holds as the file says it. */
export type FilePart<Name extends keyof FleetParts> = Writable<FleetParts[Name]>;

/** The same with every default filled in. */
export type FilledPart<Name extends keyof FleetParts> = {
  [Key in keyof FilePart<Name>]-?: Exclude<FilePart<Name>[Key], undefined>;
};
