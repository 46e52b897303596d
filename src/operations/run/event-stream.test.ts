import { expect, test } from "vitest";
import { realClock, Redaction } from "../../lib/index.ts";
import type { RunEvent } from "../../plan/index.ts";
import { eventStream } from "./event-stream.ts";

test("a secret that reached an event by mistake reaches no reader", () => {
  const redaction = new Redaction();
  redaction.register("planted-leak-of-event-stream");
  const heard: RunEvent[] = [];
  const tell = eventStream({ clock: realClock, redaction }, "r", [(event) => heard.push(event)]);
  tell({ type: "log", level: "warn", text: "login with planted-leak-of-event-stream failed" });
  const error = { code: "X", what: "w", why: "planted-leak-of-event-stream", next: "n", cause: "c" };
  tell({ type: "failed", step: "lab/machine/cp-1", error });
  expect(JSON.stringify(heard)).not.toContain("planted-leak");
  expect(heard[0]).toMatchObject({ text: "login with (secret) failed" });
  expect(heard[1]).toMatchObject({ error: { why: "(secret)", what: "w" } });
});
