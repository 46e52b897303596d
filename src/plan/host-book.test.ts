import { expect, test } from "vitest";
import { libvirtHostNamed } from "../../test/support/libvirt-site.ts";
import { hostBook } from "./host-book.ts";

test("a host that was added is known and reached by its name", async () => {
  const book = hostBook(async ({ name }) => `to ${name}`);
  book.add([libvirtHostNamed("a"), libvirtHostNamed("b")]);
  expect(book.all().map(({ name }) => name)).toEqual(["a", "b"]);
  expect(await book.client("b")).toBe("to b");
  expect([book.knows("b"), book.knows("c")]).toEqual([true, false]);
});

test("a host that is added again is the newer one, in its old place", () => {
  const book = hostBook(async () => undefined);
  const newer = libvirtHostNamed("a");
  book.add([libvirtHostNamed("a"), libvirtHostNamed("b")]);
  book.add([newer]);
  expect(book.host("a")).toBe(newer);
  expect(book.all().map(({ name }) => name)).toEqual(["a", "b"]);
});

test("a host that nobody added is a mistake of ours, and is named", () => {
  expect(() => hostBook(async () => undefined).host("a")).toThrow(
    "host a was neither surveyed nor described",
  );
});
