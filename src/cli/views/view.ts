import type { RunEvent } from "../../plan/index.ts";

/** A reader of the stream. `tell` is cheap, whatever comes and in whatever order. */
export interface View {
  tell(event: RunEvent): void;
  /** Prints a finished text (a plan, a question's context) where it does not disturb what is drawn. */
  say(text: string): void;
  /** Gives the terminal back as it was. May be called twice. */
  close(): void;
}

/** Its functions may be handed on one by one, as readers of the stream are. */
export const handedOut = (view: View): View => ({
  tell: (event) => view.tell(event),
  say: (text) => view.say(text),
  close: () => view.close(),
});
