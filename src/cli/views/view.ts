import type { RunEvent } from "../../plan/index.ts";

/** A reader of the stream. `tell` is cheap, whatever comes and in whatever order. */
export interface View {
  tell(event: RunEvent): void;
  /** Prints a finished text (a plan, a question's context) where it does not disturb what is drawn. */
  say(text: string): void;
  /** Gives the terminal back as it was. May be called twice. */
  close(): void;
}
