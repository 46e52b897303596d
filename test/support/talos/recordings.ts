import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Answer, Recording } from "./call-list.ts";

/** What a real node of Talos answered to the list of calls; test/real/talos-calls.test.ts makes it anew. */
const file = path.resolve(import.meta.dirname, "../../conformance/testdata/real-talos-1.13.9.json");

export const readRecording = (): Recording => JSON.parse(readFileSync(file, "utf8")) as Recording;

export const writeRecording = (recording: Recording): void =>
  writeFileSync(file, `${JSON.stringify(recording, undefined, 2)}\n`);

/** Without what differs between two runs on the same node: its address, its ids, the times. */
export function plain(recording: Recording, address: string): Recording {
  const net = address.slice(0, address.lastIndexOf("."));
  const text = JSON.stringify(recording, (_, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  )
    .replaceAll(address, "ADDRESS")
    .replaceAll(`${net}.`, "NET.")
    .replaceAll(/failed to remove member \d{4,}/g, "failed to remove member ID")
    .replaceAll(/\(PID \d+\)/g, "(PID N)")
    .replaceAll(/"lastEventMs":\d+/g, '"lastEventMs":0')
    .replaceAll(/\b(id|secret): \S+?=(?=\\n)/g, "$1: NAME")
    .replaceAll(/:\d{5}->/g, ":PORT->")
    .replaceAll(/fe80::[0-9a-f:]+/g, "fe80::LINK")
    .replaceAll(/\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b/g, (mac) => (mac === "00:00:00:00:00:00" ? mac : "MAC"));
  return JSON.parse(text) as Recording;
}

export interface Difference {
  /** State and call, as `running: version`. */
  name: string;
  call: string;
  real: Answer;
  other: Answer | undefined;
}

/** Every call whose answer is another; `shapes` names the calls of which only the shape of the answer is compared. */
export function differences(real: Recording, other: Recording, shapes: ReadonlySet<string>): Difference[] {
  return Object.entries(real).flatMap(([state, calls]) =>
    Object.entries(calls).flatMap(([call, answer]) => {
      const theirs = other[state]?.[call];
      const isSame = shapes.has(call)
        ? isDeepStrictEqual(shapeOf(answer), shapeOf(theirs))
        : isDeepStrictEqual(answer, theirs);
      return isSame ? [] : [{ name: `${state}: ${call}`, call, real: answer, other: theirs }];
    }),
  );
}

/** Names and kinds: of a list, each kind of its entries once. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const shapes = value.map((each) => JSON.stringify(shapeOf(each)));
    return [...new Set(shapes)].toSorted().map((shape) => JSON.parse(shape) as unknown);
  }
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
}
