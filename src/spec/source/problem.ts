import type { Position } from "../../errors/index.ts";
import { placeKey } from "./positions.ts";

/** What is wrong and what to do about it, before anybody knows where it stands. */
export interface Fault {
  /** Permanent and searchable, e.g. `SPEC_BAD_QUANTITY`. */
  code: string;
  what: string;
  next: string;
  /** The text at that place may be a secret: it is never shown. */
  isSecret?: boolean;
}

/** One mistake in a cluster file, with its place. */
export interface Problem extends Fault {
  position: Position;
}

/** A cluster file as it was read. */
export interface SourceFile {
  /** As the user gave it; messages name it. */
  file: string;
  text: string;
  /** What a program made, in place of YAML in `text`. */
  data?: unknown;
}

/** Hosts or clusters: more than anybody has, and every check compares each with each. */
export const mostEntries = 1000;

export const tooManyEntries = (count: number, section: string): Fault => ({
  code: "SPEC_TOO_MANY",
  what: `${count} ${section} are too many for one file: the most is ${mostEntries}`,
  next: "Write several files, each in a folder of its own, and name one with -f",
});

/** Collects problems of which many may be alike: the first of each group is told, the others are counted. */
export class Alike {
  private readonly groups = new Map<string, { first: Problem; more: number }>();

  /** `problem` is only made when it is the first of its group and place. */
  note(
    group: string,
    position: Problem["position"],
    problem: () => Omit<Problem, "position">,
    repeats?: "silently",
  ): void {
    const key = `${group} ${placeKey(position)}`;
    const before = this.groups.get(key);
    if (before) before.more += repeats === "silently" ? 0 : 1;
    else this.groups.set(key, { first: { ...problem(), position }, more: 0 });
  }

  told(): Problem[] {
    return [...this.groups.values()].map(({ first, more }) =>
      more === 0 ? first : { ...first, what: `${first.what}, and ${more} more like it` },
    );
  }
}
