import { expect, test } from "vitest";
import { screenFor, wantsLive, type Env } from "./screen.ts";

const terminal = { write: () => true, columns: 80, rows: 24, isTTY: true };
const pipe = { write: () => true };
const utf8 = { LANG: "en_US.UTF-8", TERM: "xterm-256color" };

test("screenFor() keeps the width between 40 and 100 and follows the terminal", () => {
  const stream = { ...terminal };
  const screen = screenFor(stream, utf8);
  expect(screen.columns).toBe(80);
  stream.columns = 200;
  expect(screen.columns).toBe(100);
  stream.columns = 12;
  expect(screen.columns).toBe(40);
  expect(screenFor(pipe, utf8)).toMatchObject({ columns: 80, rows: 24, isTerminal: false });
});

test.each<[string, Env, boolean]>([
  ["a terminal", utf8, true],
  ["NO_COLOR", { ...utf8, NO_COLOR: "1" }, false],
  ["TERM=dumb", { ...utf8, TERM: "dumb" }, false],
  ["FORCE_COLOR=0", { ...utf8, FORCE_COLOR: "0" }, false],
])("colour with %s", (_name, env, hasColor) => {
  expect(screenFor(terminal, env).hasColor).toBe(hasColor);
});

test("colour in a pipe only when forced, and NO_COLOR wins", () => {
  expect(screenFor(pipe, utf8).hasColor).toBe(false);
  expect(screenFor(pipe, { ...utf8, FORCE_COLOR: "1" }).hasColor).toBe(true);
  expect(screenFor(pipe, { ...utf8, FORCE_COLOR: "1", NO_COLOR: "1" }).hasColor).toBe(false);
});

test.each<[Env, boolean]>([
  [{ LANG: "en_US.UTF-8" }, true],
  [{ LANG: "de_DE.utf8" }, true],
  [{ LANG: "C" }, false],
  [{}, false],
  [{ LANG: "en_US.UTF-8", LC_ALL: "C" }, false],
  [{ LANG: "ja_JP.UTF-8" }, false],
  [{ LANG: "zh_CN.UTF-8" }, false],
  [{ LANG: "ko_KR.UTF-8" }, false],
  [{ LANG: "en_US.UTF-8", TERM: "linux" }, false],
  [{ LANG: "en_US.UTF-8", TERM: "dumb" }, false],
  [{ LANG: "en_US.UTF-8", SLIPWAY_ASCII: "1" }, false],
])("Unicode in %j: %s", (env, isUnicode) => {
  expect(screenFor(terminal, env).isUnicode).toBe(isUnicode);
});

test("wantsLive() only where moving the cursor helps", () => {
  const screen = screenFor(terminal, utf8);
  expect(wantsLive(screen, utf8)).toBe(true);
  expect(wantsLive(screen, utf8, { plain: true })).toBe(false);
  expect(wantsLive(screenFor(pipe, utf8), utf8)).toBe(false);
  for (const env of [{ CI: "true" }, { TERM: "dumb" }, { ACCESSIBLE: "1" }]) {
    expect(wantsLive(screen, { ...utf8, ...env })).toBe(false);
  }
});
