import type { LiveViewOptions, View } from "../../../src/cli/views/index.ts";
import { liveView } from "../../../src/cli/views/index.ts";
import type { RunEvent } from "../../../src/plan/index.ts";
import { HandClock } from "./hand-clock.ts";
import { runStart } from "./homelab-run.ts";
import { VirtualTerminal } from "./virtual-terminal.ts";

export interface Stage {
  clock: HandClock;
  terminal: VirtualTerminal;
  view: View;
}

/** A live view on a virtual terminal, with time in the test's hand. */
export function liveStage(terminal = new VirtualTerminal(), options: Partial<LiveViewOptions> = {}): Stage {
  const clock = new HandClock(runStart);
  const now = (): number => clock.now();
  const view = liveView({ out: terminal, err: terminal, now, wall: clock, timer: clock, ...options });
  return { clock, terminal, view };
}

/** Plays events at their times, up to `untilMs`; `look` sees the screen after each of them. */
export function play(
  stage: Stage,
  events: RunEvent[],
  untilMs = Infinity,
  look: () => void = () => {},
): void {
  const { clock, view } = stage;
  for (const event of events) {
    if (event.ms > untilMs) break;
    const waitMs = runStart + event.ms - clock.now();
    if (waitMs > 0) clock.jump(waitMs);
    view.tell(event);
    look();
  }
  const restMs = runStart + untilMs - clock.now();
  if (Number.isFinite(restMs) && restMs > 0) clock.jump(restMs);
}
