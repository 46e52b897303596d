import type { RunEvent } from "../../../plan/index.ts";
import type { View } from "../view.ts";

/** For other programs: every event as it is. Texts for people have no place among them. */
export const jsonView = ({ tell }: { tell(event: RunEvent): void }): View => ({
  tell: (event) => tell(event),
  say: () => {},
  close: () => {},
});
