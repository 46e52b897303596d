import type { Position } from "../../errors/index.ts";
import type { LocatedDocument } from "./located-document.ts";
import { formatPath, type Path } from "./positions.ts";
import { isRecord } from "./value-at.ts";

/** What a program made. It has no lines: the place of a value is its path. */
export class DataDocument implements LocatedDocument {
  readonly file: string;
  readonly value: Record<string, unknown>;
  private readonly written: unknown;
  private readonly renamed = new Map<string, string>();
  /** For lists that lost items: the number that each of those left was written at. */
  private readonly kept = new Map<string, number[]>();

  constructor(file: string, written: Record<string, unknown>) {
    this.file = file;
    this.written = written;
    this.value = structuredClone(written);
  }

  rename(path: Path, wrong: string, right: string): void {
    this.renamed.set(formatPath([...path, right]), wrong);
  }

  dropItem(path: Path, item: number): void {
    const { value } = this.walk(path);
    const key = formatPath(path);
    const kept = this.kept.get(key) ?? (Array.isArray(value) ? [...value.keys()] : []);
    this.kept.set(key, kept.toSpliced(item, 1));
  }

  locate(path: Path): Position {
    return dataPosition(this.file, this.walk(path).path);
  }

  locateKey(path: Path): Position {
    return this.locate(path);
  }

  textAt(path: Path): string | undefined {
    const { value, isWhole } = this.walk(path);
    return isWhole && (typeof value === "string" || typeof value === "number") ? String(value) : undefined;
  }

  mapKeys(path: Path): string[] {
    const { value, isWhole } = this.walk(path);
    return isWhole && isRecord(value) ? Object.keys(value) : [];
  }

  /** As far as the path leads, under the names that were written. */
  private walk(path: Path): { value: unknown; path: (string | number)[]; isWhole: boolean } {
    let value = this.written;
    const written: (string | number)[] = [];
    for (const [depth, part] of path.entries()) {
      const name = this.writtenAs(path.slice(0, depth), part);
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
        return { value, path: written, isWhole: false };
      value = (value as Record<string | number, unknown>)[name];
      written.push(name);
    }
    return { value, path: written, isWhole: true };
  }

  private writtenAs(above: Path, part: string | number): string | number {
    return typeof part === "number"
      ? (this.kept.get(formatPath(above))?.[part] ?? part)
      : (this.renamed.get(formatPath([...above, part])) ?? part);
  }
}

export function dataPosition(file: string, path: Path): Position {
  const where = formatPath(path);
  return { file, line: undefined, column: undefined, path: where === "" ? undefined : where };
}
