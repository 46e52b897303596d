import { expect, test } from "vitest";
import { machineTags, markText, readMark, type Mark } from "./mark.ts";

const mark: Mark = {
  cluster: "homelab",
  node: "cp-1",
  role: "control-plane",
  image: "slipway-x.qcow2",
  slipway: "0.1.0",
};

test("a mark written into a description is read back, whatever a person adds around it", () => {
  expect(readMark(markText(mark))).toEqual(mark);
  expect(readMark(`my notes\n${markText(mark)}\nmore`)).toEqual(mark);
});

test("the first line of a description is for people", () => {
  expect(markText(mark).split("\n")[0]).toBe(
    "Node cp-1 (control plane) of cluster homelab, made by Slipway. Change it in the cluster file, not here.",
  );
});

test.each(["", "slipway", "<!-- slipway {} -->", "<!-- slipway {broken -->", '<!-- slipway {"node":1,} -->'])(
  "description %j carries no mark",
  (description) => {
    expect(readMark(description)).toBeUndefined();
  },
);

test("tags are as Proxmox would store them", () => {
  expect(machineTags("homelab", ["Prod", "a", "slipway"])).toEqual([
    "a",
    "prod",
    "slipway",
    "slipway-homelab",
  ]);
});
