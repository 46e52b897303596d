import { realClock, type Clock } from "../../lib/index.ts";
import type { RunEvent } from "../../plan/index.ts";
import { levelsUpTo } from "../options.ts";
import { summarizeChecks } from "./check-summary.ts";
import { closingLines, failureLines } from "./closing.ts";
import { checkResultLine, groupResultLines } from "./group-result.ts";
import { groupOrder } from "./group-words.ts";
import { blank, drawLine, drawLines, type Line } from "./line.ts";
import { findOpenWait, type LiveContext } from "./live-context.ts";
import { liveRegion } from "./live-region.ts";
import { checkingLine, liveTree, stoppingLine, stoppingTree } from "./live-tree.ts";
import { bannerLines, logLine, resumeLines } from "./live-notes.ts";
import { remainingMs } from "./remaining.ts";
import { timelineLines } from "./render-timeline.ts";
import { isOver, isRehearsal, newRunState, type GroupState, type Told } from "./run-state.ts";
import type { Screen } from "./screen.ts";
import { takeEvent } from "./take-event.ts";
import { realTimer, type Timer } from "./timer.ts";
import type { View } from "./view.ts";

export interface LiveViewOptions {
  out: Screen;
  err: Screen;
  /** The clock of the run; a rehearsal's runs faster than the wall. */
  clock: Clock;
  wall?: Clock;
  timer?: Timer;
  logLevel?: Told<"log">["level"];
  /** Whether a command exists; what does not is not proposed. */
  offers?: (command: string) => boolean;
}

const redrawEveryMs = 100;
const estimateEveryMs = 1_000;

/** The live tree: finished work is printed once and scrolls away, unfinished work is redrawn below it. */
export function liveView(options: LiveViewOptions): View {
  const {
    out,
    err,
    clock,
    wall = realClock,
    timer = realTimer,
    logLevel = "warn",
    offers = () => true,
  } = options;
  const state = newRunState();
  const region = liveRegion(out);
  const levels = levelsUpTo(logLevel);
  const beganHere = wall.now();
  const toldGroups = new Set<GroupState>();
  const toldPhases = new Set<string>();
  let finished: Line[] = [];
  let notes: Line[] = [];
  let skewMs: number | undefined;
  let estimate = { atMs: -Infinity, leftMs: undefined as number | undefined };
  let isQuiet = true;
  let isClosed = false;
  let cancel: (() => void) | undefined;

  const endPhases = (except?: string): void => {
    for (const [phase, tally] of state.checks) {
      if (phase === except || toldPhases.has(phase)) continue;
      toldPhases.add(phase);
      finished.push(checkResultLine(summarizeChecks(phase, tally), isRehearsal(state), out));
    }
  };

  const endGroup = (group: GroupState): void => {
    if (toldGroups.has(group) || !isOver(group)) return;
    toldGroups.add(group);
    finished.push(...groupResultLines(group, state, out));
  };

  const nowMs = (): number => clock.now() - (skewMs ?? clock.now());

  const context = (): LiveContext => {
    const now = nowMs();
    if (now - estimate.atMs >= estimateEveryMs) estimate = { atMs: now, leftMs: remainingMs(state, now) };
    return { state, nowMs: now, leftMs: estimate.leftMs, canvas: out, openWait: findOpenWait(state, now) };
  };

  const regionLines = (): Line[] => {
    if (isQuiet || state.done) return [];
    const room = Math.max(1, out.rows - 2);
    const ctx = context();
    if (state.stopping) return stoppingTree(ctx, room);
    const checking = checkingLine(state, toldPhases, ctx);
    return [...liveTree(ctx, room - checking.length), ...checking].slice(0, room);
  };

  const draw = (): void => {
    const lines = regionLines().map((drawn) => drawLine(drawn, out));
    const above = finished.map((drawn) => drawLine(drawn, out));
    finished = [];
    if (notes.length > 0) {
      region.update(above, []);
      err.write(drawLines(notes, err));
      notes = [];
      region.update([], lines);
    } else {
      region.update(above, lines);
    }
  };

  const schedule = (): void => {
    if (cancel || isClosed) return;
    cancel = timer.after(redrawEveryMs, () => {
      cancel = undefined;
      draw();
      if (!isQuiet && !state.done) schedule();
    });
  };

  const finish = (done: Told<"done">): void => {
    for (const key of groupOrder) {
      const group = state.groups.get(key);
      if (group) endGroup(group);
    }
    endPhases();
    const facts = { hereMs: wall.now() - beganHere, offers };
    const chart = done.outcome === "done" ? timelineLines(state, done, out) : [];
    if (chart.length > 0) finished.push(blank, ...chart, blank);
    finished.push(...closingLines(state, done, facts, out));
    draw();
    region.close();
    const failure = failureLines(state, done, facts, err);
    if (failure.length > 0) err.write(drawLines(failure, err));
  };

  return {
    tell(event: RunEvent) {
      if (isClosed) return;
      skewMs = clock.now() - event.ms;
      const step = takeEvent(state, event);
      if (step) {
        isQuiet = false;
        endPhases();
        endGroup(step.subject.group);
      }
      switch (event.type) {
        case "run":
          finished.push(...bannerLines(state));
          break;
        case "check":
          isQuiet = false;
          endPhases(event.phase);
          break;
        case "plan":
          endPhases();
          // Nothing moves until the first step: the question that may come now has the screen for itself.
          isQuiet = true;
          estimate = { atMs: -Infinity, leftMs: undefined };
          finished.push(...resumeLines(state));
          draw();
          break;
        case "log":
          if (levels.includes(event.level)) notes.push(logLine(event, state));
          break;
        case "stopping":
          finished.push(...stoppingLine(state));
          draw();
          break;
        case "done":
          return finish(event);
        default:
          break;
      }
      schedule();
    },
    say(text) {
      endPhases();
      isQuiet = true;
      draw();
      region.close();
      out.write(text);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      cancel?.();
      isQuiet = true;
      draw();
      region.close();
    },
  };
}
