import { expect, test } from "vitest";
import { stepContext } from "../../../test/support/libvirt/site.ts";
import { type ConsoleListener, ConsoleWatch } from "./console.ts";

const machine = { cluster: "lab", node: "web-1", host: "pve", id: 100 };

function watched(): { watch: ConsoleWatch<string>; hear(text: string): void; end(error?: Error): void } {
  let listener: ConsoleListener | undefined;
  const consoles = {
    listen: async (_ctx: unknown, _machine: unknown, given: ConsoleListener) => {
      listener = given;
      return () => undefined;
    },
    reset: async () => undefined,
  };
  const watch = new ConsoleWatch(stepContext([]), consoles, machine, {
    read: (line) => /^key=(\w+)$/.exec(line)?.[1],
    lost: (cause) => new Error("lost", { cause }),
  });
  return {
    watch,
    hear: (text) => listener?.heard(Buffer.from(text)),
    end: (error) => listener?.ended(error),
  };
}

test("a line is read when it is whole, however it was cut, and without its colours", async () => {
  const { watch, hear } = watched();
  await watch.ready();
  expect(watch.isSilent).toBe(true);
  hear("noise\r\n\u001b[0;32mke");
  hear("y=one\u001b[0m");
  expect(watch.found).toBeUndefined();
  hear("\r\n");
  expect(watch.found).toBe("one");
  hear("key=two\nkey=thr");
  expect(watch.found).toBe("two");
  expect(watch.isSilent).toBe(false);
});

test("what was printed before a restart is forgotten", () => {
  const { watch, hear } = watched();
  hear("key=one\n");
  watch.forget();
  expect(watch.found).toBeUndefined();
});

test("a console that breaks off is told to whoever needs it", async () => {
  const { watch, end } = watched();
  await watch.ready();
  end(new Error("reset by peer"));
  await expect(watch.ready()).rejects.toMatchObject({ message: "lost", cause: { message: "reset by peer" } });
});
