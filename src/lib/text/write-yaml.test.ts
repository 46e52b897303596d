import { expect, test } from "vitest";
import { parse } from "yaml";
import { writeYaml, type YamlValue } from "./write-yaml.ts";

test("writeYaml() indents as Go does: four spaces, and two past a dash", () => {
  const value = {
    plugins: [
      { name: "a", configuration: { kind: "b", rules: [{ level: "c" }] } },
      { name: "d", list: ["e"] },
    ],
    nested: [["x", "y"], []],
    empty: {},
    none: null,
    left: undefined,
  };
  expect(writeYaml(value)).toBe(`plugins:
    - name: a
      configuration:
        kind: b
        rules:
            - level: c
    - name: d
      list:
        - e
nested:
    - - x
      - "y"
    - []
empty: {}
none: null
`);
});

test.each([
  ["off", '"off"'],
  ["", '""'],
  ["1.13", '"1.13"'],
  ["0x1f", '"0x1f"'],
  ["10:20:30", '"10:20:30"'],
  ["2026-01-02", '"2026-01-02"'],
  ["1.13.9", "1.13.9"],
  ["10.0.0.1/24", "10.0.0.1/24"],
  ["02:00:00:0a:00:01", "02:00:00:0a:00:01"],
  ["!system_disk", "'!system_disk'"],
  ["it's: here", "'it''s: here'"],
  ["a #b", "'a #b'"],
  ["-x", "-x"],
  ["- x", "'- x'"],
  ["*", "'*'"],
  ["a\tb", '"a\\tb"'],
  [" lead", "' lead'"],
  ["https://a:6443", "https://a:6443"],
  ["~", '"~"'],
  ["nullable", "nullable"],
  ["True", '"True"'],
  ["1e3", '"1e3"'],
  ["_1", "_1"],
])("writeYaml() writes the text %j as %s", (text, written) => {
  expect(writeYaml({ key: text })).toBe(`key: ${written}\n`);
  expect(parse(writeYaml({ key: text }))).toEqual({ key: text });
});

test("writeYaml() writes lines of text as a block, with the hints a reader needs", () => {
  const texts: Record<string, YamlValue> = {
    plain: "a\n  b\n",
    open: "a\nb",
    more: "a\n\n",
    blank: "\na\n",
    spaced: "a \nb\n",
    inside: [{ text: "c\n" }, "d\n"],
  };
  const written = writeYaml(texts);
  expect(written).toContain(
    "plain: |\n    a\n      b\nopen: |-\n    a\n    b\nmore: |+\n    a\n\nblank: |4\n\n    a\n",
  );
  expect(written).toContain('spaced: "a \\nb\\n"');
  expect(parse(written)).toEqual(texts);
});
