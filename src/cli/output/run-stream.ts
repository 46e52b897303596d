import { eventStream, openJournal, runName, type Journal } from "../../operations/index.ts";
import type { Clock, TracedCall } from "../../lib/index.ts";
import type { Tell } from "../../plan/index.ts";
import { isCommand } from "../command-names.ts";
import { levelsUpTo, type CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { jsonView, liveView, plainView, renderLeftNow, wantsLive, type View } from "../views/index.ts";

/** One stream of events with its readers: what is on screen, and the journal of runs that change things. */
export interface RunStream {
  /** Its name, which is that of its journal where one is kept. */
  run: string;
  tell: Tell;
  view: View;
  close(): void;
}

/** A stream whose events are also kept on disk. Throws where they cannot be, before anything is changed. */
export async function openKeptStream(
  shell: Shell,
  options: CommonOptions,
  clock: Clock,
  folder: string,
  choices: Pick<StreamChoices, "shown"> = {},
): Promise<RunStream> {
  let warn = (_why: string): void => {};
  const journal = await openJournal(folder, runName(clock.now()), {
    // After the event that could not be kept, which others are still to be told.
    onFailure: (why) => queueMicrotask(() => warn(why)),
  });
  const stream = openRunStream(shell, options, clock, { ...choices, journal });
  warn = (why) => stream.tell({ type: "log", level: "warn", text: `${brokenJournal}: ${why}` });
  return stream;
}

const brokenJournal = "the journal of this run has gaps from here on";

interface StreamChoices {
  journal?: Journal;
  /** The time on screen, where it is not the clock's. */
  shown?: () => number;
}

export function openRunStream(
  shell: Shell,
  options: CommonOptions,
  clock: Clock,
  { journal, shown = () => clock.now() }: StreamChoices = {},
): RunStream {
  const view = chooseView(shell, options, shown);
  const told: NonNullable<Parameters<typeof renderLeftNow>[2]> = {};
  shell.onSecondStop(() => {
    view.close();
    shell.err.write(renderLeftNow(shell.err, isCommand, told));
  });
  const run = journal?.run ?? runName(clock.now());
  const tellAll = eventStream({ clock, redaction: shell.redaction }, run, readers(view, journal));
  const levels = levelsUpTo(options.logLevel ?? "info");
  const tell: Tell = (event) => {
    if (event.type === "run" || event.type === "plan") Object.assign(told, { [event.type]: event });
    if (event.type !== "log" || levels.includes(event.level)) tellAll(event);
  };
  const deafen = levels.includes("debug")
    ? shell.calls.listen((call) => tell(callEvent(call)))
    : () => undefined;
  return {
    ...{ run, tell, view },
    close() {
      deafen();
      view.close();
      journal?.close();
    },
  };
}

/** Every protocol in the same words: which call, where to, how it ended, how long it took. */
const callEvent = ({ id, protocol, to, call, ms, outcome }: TracedCall): Parameters<Tell>[0] => ({
  type: "log",
  level: "debug",
  text: `#${id} ${outcome} in ${Math.round(ms)} ms`,
  host: to,
  call: `${protocol} ${call}`,
});

const readers = (view: View, journal: Journal | undefined) => [
  // First on disk, then on screen: what was shown is never missing from the journal.
  ...(journal ? [journal.write] : []),
  view.tell,
];

function chooseView(shell: Shell, options: CommonOptions, now: () => number): View {
  const { out, err } = shell;
  if (options.json) return jsonView(shell.lines);
  const logLevel = options.logLevel && { logLevel: options.logLevel };
  if (wantsLive(out, shell.env, options)) return liveView({ out, err, now, ...logLevel, offers: isCommand });
  return plainView({ out, err, ...logLevel });
}
