import { useEffect, useRef, useState } from "preact/hooks";
import type { ErrorData } from "../../../errors/index.ts";
import { newRunState, takeEvent, type RunState } from "../../../views/index.ts";
import { useStore } from "../data/store.ts";
import { errorsOf } from "../parts/use-question.ts";

/** A look at a cluster that was asked for here: its events fill a state of their own. */
export interface Look {
  state: RunState;
  isRunning: boolean;
  isBegun: boolean;
  errors: readonly ErrorData[];
  start(): void;
}

export function useLook(verb: "verify" | "doctor", cluster: string): Look {
  const store = useStore();
  const state = useRef(newRunState());
  const stop = useRef<AbortController>(undefined);
  const [, draw] = useState(0);
  const [phase, setPhase] = useState<"none" | "running" | "over">("none");
  const [errors, setErrors] = useState<readonly ErrorData[]>([]);
  useEffect(() => {
    state.current = newRunState();
    setPhase("none");
    setErrors([]);
    return () => stop.current?.abort();
  }, [cluster]);
  const look = async (): Promise<void> => {
    const own = new AbortController();
    stop.current = own;
    state.current = newRunState();
    setErrors([]);
    setPhase("running");
    try {
      const end = await store.api?.stream({
        path: `/api/${verb}`,
        body: { cluster },
        signal: own.signal,
        onEvents: (events) => {
          for (const event of events) takeEvent(state.current, event);
          draw((before) => before + 1);
        },
      });
      if (end?.error) setErrors([end.error]);
    } catch (thrown) {
      if (own.signal.aborted) return;
      store.missed(thrown);
      setErrors(errorsOf(thrown));
    }
    setPhase("over");
  };
  return {
    state: state.current,
    isRunning: phase === "running",
    isBegun: phase !== "none",
    errors,
    start: () => void look(),
  };
}
