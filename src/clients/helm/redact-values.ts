const secretKey = /pass(word|phrase|wd)?|secret|token|credential|private|bearer|(^|[^a-z])(auth|key)$/i;

// Shorter ones stand in half of all texts, and hiding them would say what they are.
const shortest = 4;

/** The texts of `values` that are secret by the name of their field, with those named besides. */
export function secretTexts(values: unknown, named: readonly string[] = []): string[] {
  const words = new Set<string>();
  const add = (text: string) => {
    for (const line of [text, ...text.split("\n")])
      if (line.trim().length >= shortest) words.add(line.trim());
  };
  const walk = (value: unknown, isSecret: boolean) => {
    if (Array.isArray(value)) for (const item of value) walk(item, isSecret);
    else if (typeof value === "object" && value !== null)
      for (const [key, each] of Object.entries(value)) walk(each, isSecret || secretKey.test(key));
    else if (isSecret && typeof value === "string") add(value);
  };
  walk(values, false);
  for (const text of named) add(text);
  return [...words].toSorted((a, b) => b.length - a.length);
}

export const redactTexts = (text: string, words: readonly string[]): string =>
  words.reduce((left, word) => left.replaceAll(word, "(hidden)"), text);
