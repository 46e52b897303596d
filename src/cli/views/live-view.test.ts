import { expect, test } from "vitest";
import { HandClock } from "../../../test/support/hand-clock.ts";
import { expectGolden } from "../../../test/support/golden.ts";
import { homelabRun, runStart } from "../../../test/support/homelab-run.ts";
import { VirtualTerminal } from "../../../test/support/virtual-terminal.ts";
import type { RunEvent } from "../../plan/index.ts";
import { liveView } from "./live-view.ts";

const golden = (text: string, name: string) => expectGolden(text, import.meta.dirname, "testdata", name);

function setUp(columns = 80, rows = 24) {
  const clock = new HandClock(runStart);
  const terminal = new VirtualTerminal(columns, rows);
  const view = liveView({ out: terminal, err: terminal, clock, wall: clock, timer: clock });
  return { clock, terminal, view };
}

/** Plays events at their times, up to `untilMs`; `look` sees the screen after each of them. */
function play(
  { clock, view }: ReturnType<typeof setUp>,
  events: RunEvent[],
  untilMs = Infinity,
  look: () => void = () => {},
): void {
  for (const event of events) {
    if (event.ms > untilMs) break;
    const waitMs = runStart + event.ms - clock.now();
    if (waitMs > 0) clock.advance(waitMs);
    view.tell(event);
    look();
  }
  const restMs = runStart + untilMs - clock.now();
  if (Number.isFinite(restMs) && restMs > 0) clock.advance(restMs);
}

test("liveView() early: images are fetched, the rest says what it waits for", () => {
  const stage = setUp();
  play(stage, homelabRun(), 14_000);
  golden(stage.terminal.visible, "up-early.txt");
});

test("liveView() opens a wait that explains itself", () => {
  const stage = setUp();
  play(stage, homelabRun(), 100_800);
  golden(stage.terminal.visible, "up-wait.txt");
});

test("liveView() ends with the answer", () => {
  const stage = setUp(80, 40);
  play(stage, homelabRun());
  stage.view.close();
  golden(stage.terminal.everything, "up-done.txt");
  expect(stage.terminal.isCursorHidden).toBe(false);
});
