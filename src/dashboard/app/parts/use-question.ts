import { useEffect, useState } from "preact/hooks";
import type { ErrorData } from "../../../errors/index.ts";
import { RefusedByServer } from "../data/api.ts";
import { useStore } from "../data/store.ts";

export interface Answered<T> {
  answer?: T;
  /** Why there is none; the first is the main one. */
  errors: readonly ErrorData[];
  isAsking: boolean;
  again(): void;
}

/** Asks the server when the screen opens, and again when told to. An answer stays while the next is on its way. */
export function useQuestion<T>(ask: (signal: AbortSignal) => Promise<T>, about: string): Answered<T> {
  const store = useStore();
  const [turn, setTurn] = useState(0);
  const [found, setFound] = useState<{
    about: string;
    answer?: T;
    errors: readonly ErrorData[];
    isAsking: boolean;
  }>({
    about,
    errors: [],
    isAsking: true,
  });
  useEffect(() => {
    const stop = new AbortController();
    setFound((before) =>
      before.about === about ? { ...before, isAsking: true } : { about, errors: [], isAsking: true },
    );
    ask(stop.signal).then(
      (answer) => setFound({ about, answer, errors: [], isAsking: false }),
      (thrown: unknown) => {
        if (stop.signal.aborted) return;
        store.missed(thrown);
        const errors = errorsOf(thrown);
        setFound((before) => ({ ...before, errors, isAsking: false }));
      },
    );
    return () => stop.abort();
  }, [about, turn]);
  const isSame = found.about === about;
  return {
    ...(isSame && found.answer !== undefined ? { answer: found.answer } : {}),
    errors: isSame ? found.errors : [],
    isAsking: !isSame || found.isAsking,
    again: () => setTurn((before) => before + 1),
  };
}

/** What a call that failed has to say: nothing where the connection is lost, as the page says that already. */
export const errorsOf = (thrown: unknown): ErrorData[] =>
  thrown instanceof RefusedByServer ? [thrown.error, ...thrown.more] : [];
