import { expect, test } from "vitest";
import { testScreen } from "../../../../test/support/screens/canvas.ts";
import { homelabRun } from "../../../../test/support/screens/homelab-run.ts";
import type { RunEvent } from "../../../plan/index.ts";
import { encodeEvent, jsonView } from "./json-view.ts";

test("jsonView() writes one object per line, which reads back as it was told", () => {
  const out = testScreen();
  const view = jsonView({ out });
  const events = homelabRun();
  for (const event of events) view.tell(event);
  view.say("a text for people");
  view.close();
  const lines = out.text.trimEnd().split("\n");
  expect(lines.map((text) => JSON.parse(text) as RunEvent)).toEqual(events);
  expect(out.text).toBe(events.map(encodeEvent).join(""));
});
