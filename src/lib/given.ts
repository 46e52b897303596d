type Given<T> = string extends keyof T
  ? Record<string, Exclude<T[keyof T], undefined>>
  : { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
      [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
    };

/** Only the fields that have a value, where it matters that the others are absent and not undefined: in documents, marks and models. */
export function given<T extends object>(fields: T): Given<T> {
  const found: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) found[key] = value;
  return found as Given<T>;
}

/** The same, or nothing at all when no field has a value. */
export function givenAny<T extends object>(fields: T): Given<T> | undefined {
  const found = given(fields);
  return Object.keys(found).length > 0 ? found : undefined;
}

export const unlessEmpty = <T>(list: readonly T[] | undefined): T[] | undefined =>
  list === undefined || list.length === 0 ? undefined : [...list];
