/**
 * A stand-in for a fact that an error's text is made from: wherever the text shows it, `<its name>` appears, and
 * `<its name of field>` for what is inside. It passes for a text, a number, or a list of one; `given` holds what is known.
 */
export function placeholder(name: string, given?: unknown): unknown {
  if (Array.isArray(given)) return given.map((each: unknown) => placeholder(name, each));
  if (given !== undefined && !isRecord(given)) return given;
  if (name === "cause") return new Error("<reason>");
  const shown = `<${asText(name)}>`;
  return new Proxy(Object.create(null) as object, {
    has: () => true,
    get(_, key) {
      if (isRecord(given) && key in given) {
        const value = given[key as string];
        return value === undefined ? undefined : placeholder(String(key), value);
      }
      // A sum or a comparison has no name: it becomes <number>.
      if (key === Symbol.toPrimitive) return (hint: string) => (hint === "string" ? shown : Number.NaN);
      const method = Reflect.get(methods, key) as ((fact: unknown) => object) | undefined;
      // It may be a fact of that name, such as `at`, which is shown and not called.
      if (method)
        return Object.assign(method(placeholder(name)), { [Symbol.toPrimitive]: () => `<${String(key)}>` });
      if (typeof key === "symbol") return undefined;
      if (key === "length") return countOf(name);
      if (/^\d+$/.test(key)) return placeholder(name);
      return placeholder(isCommon.test(key) && name !== "f" ? `${name} ${key}` : key);
    },
  });
}

/** Fields that say little without what they belong to. */
const isCommon = /^(name|id)$/;

/** How many there are: one to a comparison, though never exactly, so that texts speak of several. */
const countOf = (name: string): unknown => ({
  [Symbol.toPrimitive]: (hint: string) => (hint === "string" ? `<number of ${asText(name)}>` : 1),
});

/** What texts do with their facts; to a reader most of it leaves them what they are. */
const methods: Record<string | symbol, (fact: unknown) => object> = {
  ...Object.fromEntries(
    [
      "at",
      "find",
      "filter",
      "slice",
      "toSorted",
      "trim",
      "replace",
      "replaceAll",
      "toLowerCase",
      "toFixed",
    ].map((key) => [key, (fact: unknown) => () => fact]),
  ),
  join: (fact) => () => String(fact),
  map: (fact) => (each: (item: unknown) => unknown) => [each(fact)],
  flatMap: (fact) => (each: (item: unknown) => unknown) => [each(fact)].flat(),
  some: (fact) => (each: (item: unknown) => unknown) => each(fact),
  split: (fact) => () => [fact],
  includes: () => () => false,
  lastIndexOf: () => () => Number.NaN,
  [Symbol.iterator]: (fact) => () => [fact].values(),
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** `freeGiB` as "free GiB", `caHash` as "ca hash". */
const asText = (name: string): string =>
  name.replace(
    /([a-z])([A-Z][a-z]*B?)/g,
    (_, before: string, word: string) =>
      `${before} ${/^(MiB|GiB|Ms)$/.test(word) ? word : word.toLowerCase()}`,
  );
