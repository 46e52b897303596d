import { realClock, type Clock } from "../../../lib/index.ts";
import type { RunEvent } from "../../../plan/index.ts";
import { levelsUpTo } from "../../options.ts";
import {
  findOpenWait,
  remainingMs,
  groupOrder,
  type GroupState,
  isOver,
  isRehearsal,
  newRunState,
  summarizeChecks,
  takeEvent,
  type Told,
} from "../../../views/index.ts";
import { closingLines, failureLines } from "./closing.ts";
import { checkResultLine, groupResultLines } from "./group-result.ts";
import { blank, drawLine, drawLines, type Line } from "../text/line.ts";
import type { LiveContext } from "./context.ts";
import { liveRegion, type LiveRegion } from "./region.ts";
import { checkingLine, liveTree, stoppingLine, stoppingTree } from "./tree.ts";
import { bannerLines, logLines, resumeLines } from "./notes.ts";
import { timelineLines } from "../timeline/timeline-lines.ts";
import type { Screen } from "../text/screen.ts";
import { handedOut, type View } from "../view.ts";

/** Calls back later, without keeping the program alive for it. */
export interface Timer {
  /** Returns what cancels it. */
  after(ms: number, run: () => void): () => void;
}

const realTimer: Timer = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface LiveViewOptions {
  out: Screen;
  err: Screen;
  /** The time of the run; a rehearsal's is not that of the wall. */
  now: () => number;
  wall?: Clock;
  timer?: Timer;
  logLevel?: Told<"log">["level"];
  /** Whether a command exists; what does not is not proposed. */
  offers?: (command: string) => boolean;
}

const redrawEveryMs = 100;
const estimateEveryMs = 1_000;
const noEstimate: { atMs: number; leftMs: number | undefined } = { atMs: -Infinity, leftMs: undefined };

/** The live tree: finished work is printed once and scrolls away, unfinished work is redrawn below it. */
export const liveView = (options: LiveViewOptions): View => handedOut(new LiveView(options));

class LiveView implements View {
  private readonly options: Required<LiveViewOptions>;
  private readonly region: LiveRegion;
  private readonly levels: readonly string[];
  private readonly beganHere: number;
  private readonly state = newRunState();
  private readonly toldGroups = new Set<GroupState>();
  private readonly toldPhases = new Set<string>();
  /** What scrolls away above the tree, and what goes to the other screen, with the next drawing. */
  private finished: Line[] = [];
  private notes: Line[] = [];
  private skewMs: number | undefined;
  private estimate = noEstimate;
  private isQuiet = true;
  private isClosed = false;
  private cancel: (() => void) | undefined;

  constructor(options: LiveViewOptions) {
    this.options = {
      wall: realClock,
      timer: realTimer,
      logLevel: "warn",
      offers: () => true,
      ...options,
    };
    this.region = liveRegion(options.out);
    this.levels = levelsUpTo(this.options.logLevel);
    this.beganHere = this.options.wall.now();
  }

  tell(event: RunEvent): void {
    if (this.isClosed) return;
    const { state } = this;
    this.skewMs = this.options.now() - event.ms;
    const step = takeEvent(state, event);
    if (step) {
      this.isQuiet = false;
      this.endPhases();
      this.endGroup(step.subject.group);
    }
    switch (event.type) {
      case "run":
        this.finished.push(...bannerLines(state, this.options.out));
        break;
      case "check":
        this.isQuiet = false;
        this.endPhases(event.phase);
        break;
      case "plan":
        this.takePlan();
        break;
      case "log":
        if (this.levels.includes(event.level)) this.notes.push(...logLines(event, state, this.options.err));
        break;
      case "stopping":
        this.finished.push(...stoppingLine(state));
        this.draw();
        break;
      case "done":
        return this.finish(event);
      default:
        break;
    }
    this.schedule();
  }

  say(text: string): void {
    this.endPhases();
    this.isQuiet = true;
    this.draw();
    this.region.close();
    this.options.out.write(text);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.cancel?.();
    this.isQuiet = true;
    this.draw();
    this.region.close();
  }

  /** Nothing moves until the first step: the question that may come now has the screen for itself. */
  private takePlan(): void {
    this.endPhases();
    this.isQuiet = true;
    this.estimate = noEstimate;
    this.finished.push(...resumeLines(this.state));
    this.draw();
  }

  private endPhases(except?: string): void {
    const { state, options } = this;
    for (const [phase, tally] of state.checks) {
      if (phase === except || this.toldPhases.has(phase)) continue;
      this.toldPhases.add(phase);
      this.finished.push(checkResultLine(summarizeChecks(phase, tally), isRehearsal(state), options.out));
    }
  }

  private endGroup(group: GroupState): void {
    if (this.toldGroups.has(group) || !isOver(group)) return;
    this.toldGroups.add(group);
    this.finished.push(...groupResultLines(group, this.state, this.options.out));
  }

  private context(): LiveContext {
    const { state } = this;
    const { now, out } = this.options;
    const nowMs = now() - (this.skewMs ?? now());
    if (nowMs - this.estimate.atMs >= estimateEveryMs)
      this.estimate = { atMs: nowMs, leftMs: remainingMs(state, nowMs) };
    const { leftMs } = this.estimate;
    return { state, nowMs, leftMs, canvas: out, openWait: findOpenWait(state, nowMs) };
  }

  private regionLines(): Line[] {
    const { state } = this;
    if (this.isQuiet || state.done) return [];
    const room = Math.max(1, this.options.out.rows - 2);
    const ctx = this.context();
    if (state.stopping) return stoppingTree(ctx, room);
    const checking = checkingLine(state, this.toldPhases, ctx);
    return [...liveTree(ctx, room - checking.length), ...checking].slice(0, room);
  }

  private draw(): void {
    const { out, err } = this.options;
    const lines = this.regionLines().map((drawn) => drawLine(drawn, out));
    const above = this.finished.map((drawn) => drawLine(drawn, out));
    this.finished = [];
    if (this.notes.length > 0) {
      this.region.update(above, []);
      err.write(drawLines(this.notes, err));
      this.notes = [];
      this.region.update([], lines);
    } else {
      this.region.update(above, lines);
    }
  }

  private schedule(): void {
    if (this.cancel || this.isClosed) return;
    this.cancel = this.options.timer.after(redrawEveryMs, () => {
      this.cancel = undefined;
      this.draw();
      if (!this.isQuiet && !this.state.done) this.schedule();
    });
  }

  private finish(done: Told<"done">): void {
    const { state } = this;
    const { out, err, wall, offers } = this.options;
    for (const key of groupOrder) {
      const group = state.groups.get(key);
      if (group) this.endGroup(group);
    }
    this.endPhases();
    const facts = { hereMs: wall.now() - this.beganHere, offers };
    const chart = done.outcome === "done" ? timelineLines(state, done, out) : [];
    if (chart.length > 0) this.finished.push(blank, ...chart, blank);
    this.finished.push(...closingLines(state, done, facts, out));
    this.draw();
    this.region.close();
    const failure = failureLines(state, done, facts, err);
    if (failure.length > 0) err.write(drawLines(failure, err));
  }
}
