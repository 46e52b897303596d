import { expect, test } from "vitest";
import { homelabRun } from "../../../../test/support/screens/homelab-run.ts";
import type { RunEvent } from "../../../plan/index.ts";
import { jsonView } from "./json-view.ts";

test("jsonView() hands on every event as it was told, and no text for people", () => {
  const heard: RunEvent[] = [];
  const view = jsonView({ tell: (event) => void heard.push(event) });
  const events = homelabRun();
  for (const event of events) view.tell(event);
  view.say("a text for people");
  view.close();
  expect(heard).toEqual(events);
});
