import { expect, test } from "vitest";
import { encodeFrame, FrameError, FrameReader } from "./websocket-frames.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");
const bytes = (...numbers: number[]): Buffer => Buffer.from(numbers);

// The examples of RFC 6455, 5.7.
test("what a client sends is masked", () => {
  const frame = encodeFrame("text", Buffer.from("Hello"), bytes(0x37, 0xfa, 0x21, 0x3d));
  expect(frame.toString("hex")).toBe("818537fa213d7f9f4d5158");
});

test.each([
  ["of 125 bytes", 125, 2 + 4],
  ["of 126 bytes", 126, 4 + 4],
  ["of 65536 bytes", 65_536, 10 + 4],
])("a message %s says its length", (_, length, head) => {
  const frame = encodeFrame("binary", Buffer.alloc(length), bytes(0, 0, 0, 0));
  expect(frame.length).toBe(head + length);
  // A server's frame is the same without the mask.
  const plain = Buffer.concat([frame.subarray(0, head - 4), frame.subarray(head)]);
  plain[1] = (plain[1] ?? 0) & 0x7f;
  expect(new FrameReader().push(plain)).toEqual([{ opcode: "binary", payload: Buffer.alloc(length) }]);
});

test("frames are found wherever the network cuts them", () => {
  const wire = hex("8105 48656c6c6f 8900 820130 880203e8");
  const reader = new FrameReader();
  const frames = [...wire].flatMap((byte) => reader.push(bytes(byte)));
  expect(frames.map(({ opcode, payload }) => [opcode, payload.toString("latin1")])).toEqual([
    ["text", "Hello"],
    ["ping", ""],
    ["binary", "0"],
    ["close", "\u0003\u00e8"],
  ]);
});

test("a message may come in pieces, with a ping between them", () => {
  const frames = new FrameReader().push(hex("0103 48656c 8900 8002 6c6f"));
  expect(frames.map(({ opcode, payload }) => [opcode, payload.toString()])).toEqual([
    ["text", "Hel"],
    ["ping", ""],
    ["continuation", "lo"],
  ]);
});

test.each([
  ["a masked frame of a server", "8180 00000000"],
  ["an extension nobody asked for", "c100"],
  ["an unknown opcode", "8300"],
  ["a ping in pieces", "0900"],
  ["a ping of 126 bytes", "897e007e"],
  ["a piece without a beginning", "8000"],
  ["a new message inside of another", "0100 8100"],
  ["a frame of four gigabytes", "827f0000000100000000"],
])("%s is refused before it is waited for", (_, wire) => {
  expect(() => new FrameReader().push(hex(wire))).toThrow(FrameError);
});
