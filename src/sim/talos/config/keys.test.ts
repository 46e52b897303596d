import { expect, test } from "vitest";
import { shapeOf } from "../../../distros/talos/config/shapes/document-shapes.ts";
import { mainShape } from "../../../distros/talos/config/shapes/main-shape.ts";
import type { Shape } from "../../../distros/talos/config/shapes/shape.ts";
import { knownKinds, unknownDocumentKeys, unknownMainKeys } from "./keys.ts";

/** A value with every key a shape knows in a minor. */
function example(shape: Shape, minor: number): unknown {
  if (shape.is === "replaced") return shape.as === undefined ? "x" : example(shape.as, minor);
  if (shape.is === "list") return [example(shape.of, minor)];
  if (shape.is === "map") return { x: example(shape.of, minor) };
  if (shape.is !== "struct") return "x";
  const known = Object.entries(shape.fields).filter(([, field]) => (field.since ?? 0) <= minor);
  return Object.fromEntries(known.map(([key, field]) => [key, example(field, minor)]));
}

test.each([8, 11, 12, 13, 14])("nodes of 1.%i know every key that configs for them may hold", (minor) => {
  expect(unknownMainKeys(example(mainShape, minor) as Record<string, unknown>, minor)).toEqual([]);
  for (const kind of knownKinds(minor)) {
    const document = example(shapeOf({ kind }, minor), minor) as Record<string, unknown>;
    expect(unknownDocumentKeys({ ...document, kind }, minor), kind).toEqual([]);
  }
});
