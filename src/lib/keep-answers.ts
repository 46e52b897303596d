/** Asks once for each key, also where many ask at the same time. A failure is not kept: the next one asks again. */
export function keepAnswers<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (key) => {
    const known = answers.get(key);
    if (known) return known;
    const asked = ask(key);
    answers.set(key, asked);
    asked.catch(() => answers.delete(key));
    return asked;
  };
}
