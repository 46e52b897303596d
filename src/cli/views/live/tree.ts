import {
  clusterCount,
  formatElapsed,
  formatEstimate,
  formatNumber,
  groupOrder,
  isOver,
  isRehearsal,
  type RunState,
  shortStep,
  subjectOfRun,
  summarizeChecks,
} from "../../../views/index.ts";
import { line, type Line, type Span } from "../text/line.ts";
import { groupChildren, groupLine } from "./group.ts";
import { glyphOf, isNarrow, type LiveContext } from "./context.ts";
import { stepDetail } from "./child.ts";
import { style } from "../text/style.ts";
import { padEnd, padStart, widthOf } from "../text/width.ts";

/** Everything unfinished, in at most `room` lines. */
export function liveTree(ctx: LiveContext, room: number): Line[] {
  const { state } = ctx;
  const groups = groupOrder.flatMap((key) => state.groups.get(key) ?? []).filter((group) => !isOver(group));
  let spare = room - 1 - groups.length;
  const blocks = groups.map((group) => {
    const children = groupChildren(group, spare, ctx);
    spare -= children.length;
    return [groupLine(group, ctx), ...children];
  });
  return [headerLine(ctx), ...blocks.flat()].slice(0, Math.max(1, room));
}

export function headerLine({ state, nowMs, leftMs, canvas }: LiveContext): Line {
  const name = subjectOfRun(state);
  const command = state.run?.command ?? "";
  const { done } = state.counts;
  const total = state.steps.size;
  const left = leftMs === undefined || leftMs <= 0 ? "" : `, ~${formatEstimate(leftMs)} left`;
  const time = `${formatElapsed(nowMs)}${left}`;
  const banner: Span[] = isRehearsal(state) ? [["reverse", "REHEARSAL"], isNarrow(canvas) ? " " : "   "] : [];
  if (isNarrow(canvas))
    return line(
      ...banner,
      ["strong", name],
      ` ${command}  ${total === 0 ? "" : `${done}/${total}  `}${time}`,
    );
  const count = total === 0 ? "" : `${done} of ${formatNumber(total, "step")}`;
  return { left: [...banner, ["strong", name], `   ${command}`], right: `${count}   ${padStart(time, 20)}` };
}

/** After Ctrl-C only what still runs to its safe point is of interest. */
export function stoppingTree(ctx: LiveContext, room: number): Line[] {
  const { state, canvas } = ctx;
  const steps = [...state.steps.values()].filter(
    ({ status }) => status === "running" || status === "waiting" || status === "queued",
  );
  const names = steps.map((step) => shortStep(step.planned.id, clusterCount(state)));
  const width = Math.max(0, ...names.map(widthOf));
  const { glyphs } = style(canvas);
  return steps
    .slice(0, Math.max(0, room))
    .map((step, index) =>
      line(
        "    ",
        glyphOf(step.status, glyphs),
        " ",
        ["strong", padEnd(names[index] ?? "", width)],
        "   ",
        stepDetail(step, ctx),
      ),
    );
}

export function stoppingLine(state: RunState): Line[] {
  const { stopping } = state;
  if (!stopping) return [];
  const count = stopping.running.length;
  const steps = `${formatNumber(count, "step")} ${count === 1 ? "reaches" : "reach"} a safe point`;
  const grace = `at most ${formatElapsed(stopping.graceMs)}`;
  return [
    count === 0
      ? line(["warn", "^C Stopping."])
      : line(["warn", "^C Stopping:"], ` ${steps}, ${grace}. Ctrl-C again leaves now.`),
  ];
}

/** Checks that are being run: how many have answered so far. */
export function checkingLine(
  state: RunState,
  toldPhases: ReadonlySet<string>,
  { canvas, nowMs }: LiveContext,
): Line[] {
  return [...state.checks]
    .filter(([phase]) => !toldPhases.has(phase))
    .map(([phase, tally]) => {
      const { title, passed, total } = summarizeChecks(phase, tally);
      const count = passed === total ? formatNumber(total, "check") : `${passed} of ${total} checks`;
      return {
        left: [glyphOf("running", style(canvas).glyphs), " ", ["strong", padEnd(title, 15)], ` ${count}`],
        right: ["dim", formatElapsed(nowMs - tally.beganMs)],
      };
    });
}
