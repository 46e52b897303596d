import { weekdays, type RolloutWindow } from "../spec/index.ts";

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
const weekMinutes = 7 * dayMinutes;

/** Whether nodes may go now; when that ends, or when they may. */
export type WindowState = { isOpen: true; closesAtMs: number } | { isOpen: false; opensAtMs: number };

/** The clock of its time zone counts, also in weeks in which that is put forward or back. */
export function windowState(window: RolloutWindow, nowMs: number): WindowState {
  const now = minuteOfWeek(nowMs, window.timeZone);
  const spans = spansOf(window);
  const ahead = (minute: number): number => (minute - now + weekMinutes) % weekMinutes;
  const open = spans.filter(({ start, length }) => (now - start + weekMinutes) % weekMinutes < length);
  const at = (minute: number): number => momentOf(minute, nowMs + ahead(minute) * minuteMs, window.timeZone);
  if (open.length > 0) {
    const ends = open.map(({ start, length }) => at((start + length) % weekMinutes));
    return { isOpen: true, closesAtMs: Math.max(...ends) };
  }
  return { isOpen: false, opensAtMs: Math.min(...spans.map(({ start }) => at(start))) };
}

/** `Sat 02:00 Europe/Berlin`. */
export function momentText(atMs: number, { timeZone }: Pick<RolloutWindow, "timeZone">): string {
  const { weekday, hour, minute } = clockAt(atMs, timeZone);
  return `${weekday} ${hour}:${minute} ${timeZone}`;
}

interface Span {
  /** In minutes since Sunday, 00:00. */
  start: number;
  length: number;
}

function spansOf({ days = [...weekdays], from, to }: RolloutWindow): Span[] {
  const start = minutesOf(from);
  const length = (minutesOf(to) - start + dayMinutes) % dayMinutes || dayMinutes;
  return days.map((day) => ({ start: weekdays.indexOf(day) * dayMinutes + start, length }));
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

function minuteOfWeek(atMs: number, timeZone: string): number {
  const { weekday, hour, minute } = clockAt(atMs, timeZone);
  const day = weekdays.findIndex((each) => weekday.toLowerCase().startsWith(each));
  return day * dayMinutes + Number(hour) * 60 + Number(minute);
}

/** A clock that is put forward or back on the way is an hour off, so the guess is looked at once more. */
function momentOf(minute: number, guessMs: number, timeZone: string): number {
  const off = minute - minuteOfWeek(guessMs, timeZone);
  const shortest = ((off + weekMinutes * 1.5) % weekMinutes) - weekMinutes / 2;
  const corrected = Math.floor((guessMs + shortest * minuteMs) / minuteMs) * minuteMs;
  // A time that this clock leaves out has come when it would have.
  return minuteOfWeek(corrected, timeZone) === minute
    ? corrected
    : Math.floor(Math.max(corrected, guessMs) / minuteMs) * minuteMs;
}

interface ClockParts {
  weekday: string;
  hour: string;
  minute: string;
}

function clockAt(atMs: number, timeZone: string): ClockParts {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
  const [weekday = "", hour = "", minute = ""] = ["weekday", "hour", "minute"].map((type) =>
    parts.get(type as Intl.DateTimeFormatPartTypes),
  );
  return { weekday, hour, minute };
}
