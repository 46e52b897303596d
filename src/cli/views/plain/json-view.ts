import type { RunEvent } from "../../../plan/index.ts";
import type { Screen } from "../text/screen.ts";
import type { View } from "../view.ts";

/** One event as one line: the very bytes of the journal, of `--json` and of the dashboard's stream. */
export const encodeEvent = (event: RunEvent): string => `${JSON.stringify(event)}\n`;

/** NDJSON for other programs. Texts for people have no place in it. */
export const jsonView = ({ out }: { out: Pick<Screen, "write"> }): View => ({
  tell: (event) => out.write(encodeEvent(event)),
  say: () => {},
  close: () => {},
});
