import { expect, test } from "vitest";
import { isCommand } from "./command-names.ts";
import { buildProgram } from "./program.ts";

const program = buildProgram(
  () => {
    throw new Error("no command is run here");
  },
  () => {},
);

test("every command of the program is known to the screens, and has a summary and an example", () => {
  for (const command of program.commands) {
    expect(isCommand(command.name()), command.name()).toBe(true);
    expect(command.description(), command.name()).not.toBe("");
  }
});
