import { expect, test } from "vitest";
import { renderError } from "../problem/render-error.ts";
import { screenFor, wantsLive, type Env } from "./screen.ts";

const terminal = { write: () => true, columns: 80, rows: 24, isTTY: true };
const pipe = { write: () => true };
const utf8 = { LANG: "en_US.UTF-8", TERM: "xterm-256color" };

test("screenFor() keeps the width between 40 and 200 and follows the terminal", () => {
  const stream = { ...terminal };
  const screen = screenFor(stream, utf8);
  expect(screen.columns).toBe(80);
  stream.columns = 300;
  expect(screen.columns).toBe(200);
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

test("no text turns around, hides or moves the cursor on its way to a terminal, but for our own drawing [attack 15]", () => {
  const written: string[] = [];
  const screen = screenFor({ write: (text) => written.push(text), isTTY: true }, { LANG: "C.UTF-8" });
  const own = "\x1b[31mred\x1b[0m\x1b[3A\r\x1b[J\x1b[K\x1b[?25l";
  screen.write(`${own}node \u202e1-pc\u0007 \x1b]0;title\x07 \x1b[2J \rgone`);
  expect(written).toEqual([
    `${own}node ${String.raw`\u202e1-pc\u0007 \u001b]0;title\u0007 \u001b[2J \u000dgone`}`,
  ]);
});

test("an error tells what a server said with its control characters spelled out [attack 15]", () => {
  const why = "node \u202e1-pc\u202c said\n\x1b[1A\x1b[32mall is well";
  const error = { code: "X_Y", what: "Cannot ask \u2067hydra", why, next: "Look" };
  const text = renderError(error, {}, { columns: 100, hasColor: false, isUnicode: true });
  expect(text).toContain(String.raw`\u202e1-pc\u202c said \u001b[1A\u001b[32mall is well`);
  expect(text).toContain(String.raw`Cannot ask \u2067hydra`);
});

test("text that no view has looked at cannot hide itself in colours, nor move where there is no live view", () => {
  const hidden = "\u001b[8mrm -rf\u001b[0m \u001b[30;40mblack\u001b[m \u001b[1A\u001b[32mgreen\u001b[0m";
  const written = (stream: { isTTY?: boolean }, env: Env): string => {
    let said = "";
    screenFor({ ...stream, write: (text: string) => (said += text) }, env).write(hidden);
    return said;
  };
  const spelled = "\\u001b[8mrm -rf";
  expect(written({}, utf8)).toBe(
    `${spelled}\\u001b[0m \\u001b[30;40mblack\\u001b[m \\u001b[1A\\u001b[32mgreen\\u001b[0m`,
  );
  expect(written({}, { ...utf8, FORCE_COLOR: "1" })).toBe(
    `${spelled}\u001b[0m \\u001b[30;40mblack\\u001b[m \\u001b[1A\u001b[32mgreen\u001b[0m`,
  );
  expect(written({ isTTY: true }, { ...utf8, NO_COLOR: "1" })).toContain("\\u001b[32mgreen");
});
