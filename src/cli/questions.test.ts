import { expect, test } from "vitest";
import { VirtualTerminal } from "../../test/support/screens/virtual-terminal.ts";
import { Redaction } from "../lib/index.ts";
import { quietScreens, redactedScreen } from "./questions.ts";

test("a screen stays still while a question stands, and goes on afterwards", async () => {
  const terminal = new VirtualTerminal();
  const screens = quietScreens();
  const screen = screens.over(terminal);
  screen.write("before\n");
  const asked = screens.during(async () => {
    screen.write("meanwhile\n");
    expect(terminal.writeCount).toBe(1);
    return "answer";
  });
  expect(await asked).toBe("answer");
  screen.write("after\n");
  expect(terminal.writeCount).toBe(3);
  await expect(screens.during(() => Promise.reject(new Error("Ctrl-C")))).rejects.toThrow("Ctrl-C");
  screen.write("still there\n");
  expect(terminal.writeCount).toBe(4);
});

test("secrets do not get onto a screen, whose size stays live", () => {
  const redaction = new Redaction();
  redaction.register("planted-in-a-screen");
  const terminal = new VirtualTerminal();
  const written: string[] = [];
  terminal.write = (text) => void written.push(text);
  const screen = redactedScreen(terminal, redaction);
  screen.write("token planted-in-a-screen\n");
  expect(written).toEqual(["token (secret)\n"]);
  terminal.columns = 132;
  expect(screen.columns).toBe(132);
});
