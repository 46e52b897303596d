/** Whether two marks say the same, in whatever order; what is undefined is not said. */
export const isSameMark = (one: object, other: object): boolean => sorted(one) === sorted(other);

const sorted = (mark: object): string =>
  JSON.stringify(
    Object.entries(mark)
      .filter(([, value]) => value !== undefined)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
