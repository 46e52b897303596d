import { expect, test } from "vitest";
import { configChanges } from "./node-files.ts";

test("configChanges() tells key by key, in words", () => {
  const wanted = "tls-san:\n  - a\n  - b\ndisable:\n  - traefik\nsecrets-encryption: true\n";
  expect(configChanges(wanted, "tls-san: [a]\nsecrets-encryption: true\n")).toEqual([
    { field: "tls-san", from: "a", to: "a, b", consequence: "roll" },
    { field: "disable", from: "none", to: "traefik", consequence: "roll" },
  ]);
});

test("configChanges() never shows a token", () => {
  const changes = configChanges("token: first\nagent-token: two\n", "token: three\n");
  expect(JSON.stringify(changes)).not.toMatch(/first|two|three/);
  expect(changes.map(({ field }) => field)).toEqual(["token", "agent-token"]);
});

test("labels need no restart: a kubelet reads them only when it registers", () => {
  expect(configChanges("node-label:\n  - disk=ssd\n", "")).toEqual([
    { field: "node-label", from: "none", to: "disk=ssd", consequence: "hot" },
  ]);
});

test("a file that cannot be read counts as empty", () => {
  expect(configChanges("node-name: a\n", "{")).toHaveLength(1);
});
