import { expect, test } from "vitest";
import type { RolloutWindow } from "../spec/index.ts";
import { momentText, windowState } from "./rollout-window.ts";

const berlin: RolloutWindow = { days: ["sat", "sun"], from: "02:00", to: "06:00", timeZone: "Europe/Berlin" };

const stateAt = (window: RolloutWindow, at: string): string => {
  const state = windowState(window, Date.parse(at));
  return state.isOpen
    ? `open until ${new Date(state.closesAtMs).toISOString()}`
    : `closed until ${new Date(state.opensAtMs).toISOString()}`;
};

test.each([
  ["a Tuesday", "2026-11-17T21:00:30Z", "closed until 2026-11-21T01:00:00.000Z"],
  ["its first minute", "2026-11-21T01:00:00Z", "open until 2026-11-21T05:00:00.000Z"],
  ["its last minute", "2026-11-21T04:59:59Z", "open until 2026-11-21T05:00:00.000Z"],
  ["right after", "2026-11-21T05:00:00Z", "closed until 2026-11-22T01:00:00.000Z"],
  ["Sunday after it", "2026-11-22T12:00:00Z", "closed until 2026-11-28T01:00:00.000Z"],
  // On Sunday 2026-03-29 the clock goes from 02:00 to 03:00, on 2026-10-25 from 03:00 back to 02:00.
  ["before summer time", "2026-03-28T12:00:00Z", "closed until 2026-03-29T01:00:00.000Z"],
  ["in the night it comes", "2026-03-29T02:30:00Z", "open until 2026-03-29T04:00:00.000Z"],
  ["in the night it goes", "2026-10-25T00:30:00Z", "open until 2026-10-25T05:00:00.000Z"],
])("windowState() on %s", (_when, at, state) => {
  expect(stateAt(berlin, at)).toBe(state);
});

test("windowState() over midnight counts from the day on which it begins", () => {
  const night: RolloutWindow = { days: ["fri"], from: "22:00", to: "04:00", timeZone: "UTC" };
  expect(stateAt(night, "2026-11-21T03:00:00Z")).toBe("open until 2026-11-21T04:00:00.000Z");
  expect(stateAt(night, "2026-11-20T03:00:00Z")).toBe("closed until 2026-11-20T22:00:00.000Z");
});

test("windowState() with the same beginning and end is a whole day, every day without days", () => {
  const saturday: RolloutWindow = { days: ["sat"], from: "00:00", to: "00:00", timeZone: "UTC" };
  expect(stateAt(saturday, "2026-11-21T23:59:00Z")).toBe("open until 2026-11-22T00:00:00.000Z");
  const nightly: RolloutWindow = { from: "01:00", to: "02:00", timeZone: "UTC" };
  expect(stateAt(nightly, "2026-11-18T02:00:00Z")).toBe("closed until 2026-11-19T01:00:00.000Z");
});

test("momentText() is what a clock there shows", () => {
  expect(momentText(Date.parse("2026-11-21T01:00:00Z"), berlin)).toBe("Sat 02:00 Europe/Berlin");
});
