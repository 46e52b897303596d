/** Asks once for each key, also where many ask at the same time. A failure is not kept: the next one asks again. */
export function memoize<T, Key = string>(ask: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const answers = new Map<Key, Promise<T>>();
  return (key) => {
    const known = answers.get(key);
    if (known) return known;
    const asked = ask(key);
    answers.set(key, asked);
    asked.catch(() => answers.delete(key));
    return asked;
  };
}
