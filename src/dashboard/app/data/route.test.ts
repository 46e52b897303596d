import { expect, test } from "vitest";
import { readOpening, readRoute, writeRoute } from "./route.ts";

test.each([
  ["", "#/"],
  ["#/", "#/"],
  ["#/?state=problems", "#/?state=problems"],
  ["#/homelab", "#/homelab"],
  ["#/homelab/run?run=20260101-101010", "#/homelab?run=20260101-101010"],
  ["#/homelab/nodes/worker-3", "#/homelab/nodes/worker-3"],
  ["#/homelab/log/extra?q=a%20b", "#/homelab/log?q=a+b"],
  ["#/homelab/nonsense", "#/homelab"],
  ["#/%E0%A4%A", "#/%25E0%25A4%25A"],
  ["#/a%2Fb/plan", "#/a%2Fb/plan"],
])("%s is read and written as %s", (hash, written) => {
  expect(writeRoute(readRoute(hash))).toBe(written);
});

test.each([
  ["#t=secret", "secret", "#/"],
  ["#t=secret&run=20260101-101010", "secret", "#/?run=20260101-101010"],
  ["#/homelab/plan?t=secret&q=x", "secret", "#/homelab/plan?q=x"],
  ["#/homelab", undefined, "#/homelab"],
  ["", undefined, "#/"],
])("the token of %s does not stay in the address", (hash, token, rest) => {
  expect(readOpening(hash)).toEqual({ ...(token === undefined ? {} : { token }), rest });
});
