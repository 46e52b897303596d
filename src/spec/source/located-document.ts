import type { Position } from "../../errors/index.ts";
import type { Path } from "./positions.ts";

/** A cluster file as plain data, each value still knowing its place. */
export interface LocatedDocument {
  readonly file: string;
  /** May be changed while it is checked: changing one place changes no other. */
  readonly value: Record<string, unknown>;
  /** From now on `right` names the field that was written as `wrong` in the map at `path`. */
  rename(path: Path, wrong: string, right: string): void;
  /** From now on the list at `path` is without this item. */
  dropItem(path: Path, item: number): void;
  /** The place of a value; else of the nearest thing around it. */
  locate(path: Path): Position;
  /** The place of the field's name. */
  locateKey(path: Path): Position;
  /** The value as it was typed. */
  textAt(path: Path): string | undefined;
  /** The names written in the map at `path`, whatever became of their values. */
  mapKeys(path: Path): string[];
}
