import { expect, test } from "vitest";
import { libvirtHostNamed } from "../../../test/support/libvirt/site.ts";
import { hostRegistry } from "./host-registry.ts";

test("a host that was opened is known and reached by its name", async () => {
  const [a, b] = [libvirtHostNamed("a"), libvirtHostNamed("b")];
  const registry = hostRegistry([a, b], async ({ name }) => `to ${name}`);
  expect(registry.host("a")).toBe(a);
  expect(await registry.client("b")).toBe("to b");
  expect([registry.knows("b"), registry.knows("c")]).toEqual([true, false]);
});

test("a host that nobody opened is a mistake of ours, and is named", () => {
  expect(() => hostRegistry([], async () => undefined).host("a")).toThrow('no host "a" was opened');
});
