const known = new Set<string>();
/** Shorter ones would hide half of every text, and nobody finds them in a log anyway. */
const shortest = 8;
const hidden = "(secret)";

/**
 * Remembers a secret of this process in every form it may be told in. There is one memory for all: whoever writes a
 * text does not know whose secrets went into it.
 */
export function learnSecret(secret: string): void {
  const text = secret.trim();
  if (text.length < shortest) return;
  const lines = text.split("\n").filter((line) => line.length >= 40 && !line.startsWith("-----"));
  for (const form of [text, ...lines, ...encoded(text)]) known.add(form);
}

/** A key in PEM often stands in base64, and its lines are found in what quotes it. */
function encoded(text: string): string[] {
  const inside = Buffer.from(text, "base64").toString("latin1");
  const lines = inside.includes("PRIVATE KEY") ? inside.split("\n") : [];
  return [
    Buffer.from(text).toString("base64"),
    encodeURIComponent(text),
    ...lines.filter((line) => line.length >= 40 && !line.startsWith("-----")),
  ];
}

export const knownSecrets = (): readonly string[] => [...known];

/** The same data with every secret this process knows taken out of its texts. */
export function withoutSecrets<T>(value: T): T {
  if (known.size === 0) return value;
  const longestFirst = [...known].toSorted((a, b) => b.length - a.length);
  return hide(value, longestFirst) as T;
}

function hide(value: unknown, secrets: string[]): unknown {
  if (typeof value === "string")
    return secrets.reduce(
      (text, secret) => (text.includes(secret) ? text.replaceAll(secret, hidden) : text),
      value,
    );
  if (Array.isArray(value)) return value.map((part: unknown) => hide(part, secrets));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, hide(part, secrets)]));
}
