import {
  array,
  assert,
  boolean,
  constantFrom,
  double,
  integer,
  maxSafeInteger,
  maxSafeNat,
  nat,
  option,
  property,
  record as recordOf,
  string,
  uuid as anyUuid,
} from "fast-check";
import { expect, test } from "vitest";
import { PacketReader, encodeHeader, type Packet } from "./packet.ts";
import {
  decode,
  encode,
  f64,
  flag,
  i32,
  i64,
  list,
  optional,
  record,
  str,
  u32,
  u64,
  uuid,
  wideText,
} from "./xdr.ts";

const everything = record({
  small: i32,
  large: u64,
  negative: i64,
  count: u32,
  part: f64,
  isOn: flag,
  name: str,
  id: uuid,
  note: optional(str),
  model: wideText,
  items: list(record({ name: str, size: u32 })),
});

test("what is written in XDR is read back as it was", () => {
  const text = string({ unit: "grapheme" });
  const values = recordOf({
    small: integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    large: maxSafeNat(),
    negative: maxSafeInteger(),
    count: integer({ min: 0, max: 2 ** 32 - 1 }),
    part: double({ noNaN: true }),
    isOn: boolean(),
    name: text,
    id: anyUuid(),
    note: option(text, { nil: undefined }),
    model: string({ maxLength: 31, unit: constantFrom("a", "z", "0", "_", "-", " ") }),
    items: array(recordOf({ name: text, size: nat() })),
  });
  assert(
    property(values, (value) => {
      const bytes = encode(everything, value);
      expect(bytes.length % 4).toBe(0);
      expect(decode(everything, bytes)).toEqual(value);
    }),
  );
});

test("a text is its length, its bytes and zeros up to the next four", () => {
  expect(encode(str, "probe").toString("hex")).toBe("0000000570726f6265000000");
});

test("an answer that ends too early is not read beyond its end", () => {
  expect(() => decode(str, Buffer.from("0000000970726f62", "hex"))).toThrow(/ends after 8 bytes/);
});

const packet = (serial: number, text: string): Packet => ({
  program: 0x20008086,
  procedure: 23,
  type: 1,
  serial,
  status: 0,
  payload: Buffer.from(text),
});

const readable = (each: Packet) => ({ ...each, payload: each.payload.toString() });

test("packets are found however their bytes are cut", () => {
  const packets = [packet(1, "one"), packet(2, ""), packet(3, "x".repeat(70_000))];
  const bytes = Buffer.concat(packets.flatMap((each) => [encodeHeader(each), each.payload]));
  assert(
    property(array(integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 60 }), (cuts) => {
      const reader = new PacketReader();
      const found: Packet[] = [];
      let at = 0;
      for (const cut of cuts) {
        found.push(...reader.push(bytes.subarray(at, at + cut)));
        at = Math.min(bytes.length, at + cut);
      }
      found.push(...reader.push(bytes.subarray(at)));
      expect(found.map(readable)).toEqual(packets.map(readable));
    }),
    { numRuns: 50 },
  );
});

test("a packet that cannot be one ends the reading", () => {
  expect(() => new PacketReader().push(Buffer.from("ffffffff00000000", "hex"))).toThrow(/claims to be/);
});
