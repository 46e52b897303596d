import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readDocuments, viewDocuments } from "./read-patch.ts";

const asOneText = (text: string): unknown =>
  parseAllDocuments(text).map((document) => document.toJS() as unknown);

test.each([
  ["machine:\n  type: worker\n---\nkind: HostnameConfig\nhostname: worker-1\n"],
  ["---\nkind: A\n---\nkind: B\n"],
  ["# of the first\nkind: A\n---\n# of the second\nkind: B\n"],
  ["kind: A\n--- # the second\nkind: B\n"],
  ["kind: A\n---\n---\nkind: B\n---\n"],
  ["kind: A\n...\n%YAML 1.1\n---\nkind: B\nyes: yes\n"],
  ["text: |+\n  above\n\n---\nkind: B\n"],
  ["- one\n---\ntwo\n"],
  [""],
])("readDocuments() finds the documents of %j, however often it reads them", (text) => {
  expect(readDocuments(text, "test")).toEqual(asOneText(text));
  expect(readDocuments(text, "test")).toEqual(asOneText(text));
});

test("readDocuments() gives everybody documents of their own", () => {
  const text = "kind: A\nlist: [1]\n---\nkind: A\nlist: [1]\n---\nkind: A\nlist: [1]\n";
  const [first, second, third] = readDocuments(text, "test");
  if (!first || !second) throw new Error("not read");
  first["list"] = [2];
  Object.assign(second, { list: [3] });
  expect(third).toEqual({ kind: "A", list: [1] });
  expect(readDocuments(text, "test")[0]).toEqual({ kind: "A", list: [1] });
});

test("viewDocuments() gives everybody the same documents, which nobody can change", () => {
  const text = "kind: A\nlists: [[1]]\n---\nkind: B\n";
  const [first] = viewDocuments(text, "test");
  expect(viewDocuments("kind: B\n---\nkind: A\nlists: [[1]]\n---\nkind: B\n", "test")[1]).toBe(first);
  expect(() => Object.assign(first?.["lists"] ?? {}, { 0: [2] })).toThrow(TypeError);
  expect(() => Object.assign(first ?? {}, { kind: "Z" })).toThrow(TypeError);
  expect(viewDocuments(text, "test")).toEqual([{ kind: "A", lists: [[1]] }, { kind: "B" }]);
});

test("readDocuments() counts the line of a mistake from the top of the file", () => {
  const text = "kind: A\n---\nkind: B\nname: one\nname: two\n";
  expect(() => readDocuments(text, "my.yaml")).toThrowError(
    expect.objectContaining({ why: expect.stringMatching(/^line 5 is not YAML: /) as string }) as Error,
  );
});
