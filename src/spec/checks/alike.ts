import type { Problem } from "../problem.ts";

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
    const key = `${group} ${position.line}:${position.column}`;
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
