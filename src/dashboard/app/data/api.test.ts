import { expect, test } from "vitest";
import { MessageReader } from "./api.ts";

const text =
  ': alive\n\nid: 1\ndata: {"a":1}\n\nid: 2\r\ndata: {"b":\r\ndata: 2}\r\n\r\nevent: end\ndata: {}\n\n';

test.each([1, 2, 3, 7, 1000])("a stream cut every %i characters gives the same messages", (size) => {
  const reader = new MessageReader();
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
  expect(pieces.flatMap((piece) => reader.push(piece))).toEqual([
    { event: "message", id: "1", data: '{"a":1}' },
    { event: "message", id: "2", data: '{"b":\n2}' },
    { event: "end", id: undefined, data: "{}" },
  ]);
});
