import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  allAt,
  element,
  firstAt,
  readXml,
  textAt,
  writeXml,
  type XmlElement,
  type XmlPiece,
} from "../index.ts";

describe("writeXml()", () => {
  test("writes elements, attributes and text in their order, and leaves out what is absent", () => {
    const piece = element("a", { z: 1, none: undefined, b: "x" }, [
      element("c", {}, "text"),
      undefined,
      false,
      element("d", {}, ""),
      element("e", {}, [element("f", {}, 7)]),
    ]);
    expect(writeXml(piece)).toBe(
      '<a z="1" b="x">\n  <c>text</c>\n  <d/>\n  <e>\n    <f>7</f>\n  </e>\n</a>\n',
    );
  });

  test("escapes what would end a text or a value", () => {
    const piece = element("a", { b: `<&>"'\t\n\r` }, [element("c", {}, `<&>"'\t\n\r]]>`)]);
    expect(writeXml(piece)).toBe(
      `<a b="&lt;&amp;&gt;&quot;'&#9;&#10;&#13;">\n  <c>&lt;&amp;&gt;"'\t\n&#13;]]&gt;</c>\n</a>\n`,
    );
  });

  test.each(["\u0000", "\u001b[31m", "\ud800", "\ufffe"])("refuses %j, which XML cannot hold", (text) => {
    expect(() => writeXml(element("a", {}, text))).toThrow("XML cannot hold");
    expect(() => writeXml(element("a", { b: text }))).toThrow("XML cannot hold");
  });

  test.each(["", "a b", "a>", "1a", "a:b:c"])("refuses the name %j", (name) => {
    expect(() => writeXml(element(name))).toThrow("XML cannot hold");
    expect(() => writeXml(element("a", { [name]: "" }))).toThrow("XML cannot hold");
  });
});

describe("readXml()", () => {
  test("gives names without prefixes, and the namespaces that prefixes stand for", () => {
    const root = readXml(`<?xml version='1.0' encoding="UTF-8"?>
      <!-- made by <hand> -->
      <a xmlns:p='urn:p' xmlns="urn:d" one = 'x "y"' two="it's" xml:lang='en'>
        <p:b p:c='1'/><b xmlns=''>in</b ><?skip <this>?><c>t<!-- not -->ex<![CDATA[t <&> ]]></c>
      </a>`);
    expect(root).toMatchObject({
      name: "a",
      namespace: "urn:d",
      attributes: { one: 'x "y"', two: "it's", "xml:lang": "en" },
      children: [
        { name: "b", namespace: "urn:p", attributes: { "p:c": "1" } },
        { name: "b", namespace: "", text: "in" },
        { name: "c", namespace: "urn:d", text: "text <&> " },
      ],
    });
    expect(allAt(root, "b")).toEqual([]);
    expect(firstAt(root, "c")?.name).toBe("c");
    expect(textAt(root, "c")).toBe("text <&>");
    expect(textAt(root, "c", "d")).toBeUndefined();
  });

  test("knows entities and numbers, and the line ends of every system", () => {
    const text = "<a b='&lt;&#x1F6A2;\r\n&#10;x'>&amp;amp;&#228;&quot;&apos;\r\ny\rz</a>";
    expect(readXml(text)).toMatchObject({ attributes: { b: "<🚢 \nx" }, text: "&amp;ä\"'\ny\nz" });
  });

  test.each([
    ["", "lacks a <"],
    ["<a>", "ends in the middle"],
    ["<a></b>", "does not close <a>"],
    ["<a/><b/>", "goes on after its end"],
    ["<a/>text", "goes on after its end"],
    ["<a b=c/>", "has a value without quotes"],
    ["<a b='1' b='2'/>", "says b twice"],
    ["<a b='1'c='2'/>", "has no space before an attribute"],
    ["<a b='<'/>", 'has a "<" in the value of b'],
    ["<a b='1/>", "lacks a '"],
    ["<a>&nbsp;</a>", 'has an unknown entity "&nbsp;"'],
    ["<a>&constructor;</a>", "has an unknown entity"],
    ["<a>1 & 2</a>", 'has an unknown entity "&"'],
    ["<a>&#0;</a>", "has an unknown entity"],
    ["<a>&#xd800;</a>", "has an unknown entity"],
    ["<p:a/>", 'does not declare prefix "p"'],
    ["<constructor:a/>", 'does not declare prefix "constructor"'],
    ["<a><!-- x</a>", "lacks a -->"],
    ["<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "has no name where one must stand"],
    ["\n\n<a>\n<b></c></a>", "in line 4"],
    [`${"<a>".repeat(200)}${"</a>".repeat(200)}`, "is nested too deeply"],
  ])("refuses %j", (text, problem) => {
    expect(() => readXml(text)).toThrow(problem);
  });

  const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,8}$/).filter((each) => !each.startsWith("xmlns"));
  const text = fc.oneof(
    fc.string({
      unit: fc.constantFrom("<", ">", "&", '"', "'", "\n", "\t", "\r", " ", "]]>", "&lt;", "ü", "🚢"),
    }),
    fc.string({ unit: "grapheme" }),
  );
  const { tree } = fc.letrec<{ tree: XmlPiece }>((tie) => ({
    tree: fc
      .tuple(
        name,
        fc.dictionary(name, text),
        fc.oneof({ maxDepth: 4 }, text, fc.array(tie("tree"), { maxLength: 4 })),
      )
      .map(([tag, attributes, content]) => element(tag, attributes, content)),
  }));

  test("reads back whatever was written", () => {
    const asRead = (piece: XmlPiece): object => ({
      name: piece.name,
      namespace: "",
      attributes: piece.attributes,
      children: piece.children.map(asRead),
      text: piece.text ?? "",
    });
    /** Between children there is only the space of the layout. */
    const withoutLayout = (found: XmlElement): XmlElement => ({
      ...found,
      children: found.children.map(withoutLayout),
      text: found.children.length > 0 ? found.text.trim() : found.text,
    });
    fc.assert(
      fc.property(tree, (piece) => {
        expect(withoutLayout(readXml(writeXml(piece)))).toEqual(asRead(piece));
      }),
    );
  });
});
