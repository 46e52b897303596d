import { expect, test } from "vitest";
import { hopsBetween, isRoundabout, type Hop } from "./hops.ts";

const textOf = (hops: Hop[]): string =>
  hops.map(({ part, version }) => `${part === "talos" ? "T" : "K"} ${version}`).join(", ");

test.each([
  ["nothing to do", "1.13.9 1.36.3", "1.13.9 1.36.3", "T 1.13.9, K 1.36.3"],
  ["neighbours", "1.12.11 1.35.4", "1.13.9 1.36.3", "T 1.13.9, K 1.36.3"],
  ["two of Talos", "1.11.2 1.34.1", "1.13.9 1.34.1", "T 1.12.11, T 1.13.9, K 1.34.1"],
  ["two of both", "1.11.2 1.34.1", "1.13.8 1.36.3", "T 1.12.11, T 1.13.8, K 1.35.4, K 1.36.3"],
  ["Kubernetes alone", "1.13.9 1.34.1", "1.13.9 1.36.3", "T 1.13.9, K 1.35.4, K 1.36.3"],
  // 1.13 takes 1.31 and newer, 1.14 takes 1.32 and newer: Kubernetes has to move in between.
  [
    "Kubernetes as early as it must",
    "1.12.11 1.30.1",
    "1.14.1 1.32.4",
    "K 1.31.4, T 1.13.9, K 1.32.4, T 1.14.1",
  ],
  ["a way back", "1.13.9 1.36.3", "1.12.11 1.36.3", "T 1.12.11, K 1.36.3"],
  ["no way: the Kubernetes of the file does not fit", "1.11.6 1.29.1", "1.13.9 1.29.1", "T 1.13.9, K 1.29.1"],
  ["no way: nobody knows what is between", "1.13.9 1.36.3", "1.13.9 1.38.1", "T 1.13.9, K 1.38.1"],
])("%s: from %s to %s", (_what, from, to, way) => {
  const versions = (text: string) => {
    const [talos = "", kubernetes = ""] = text.split(" ");
    return { talos, kubernetes };
  };
  expect(textOf(hopsBetween(versions(from), versions(to)))).toBe(way);
});

test("where nobody tells what runs, the file's versions are all there is", () => {
  const hops = hopsBetween(undefined, { talos: "1.13.9", kubernetes: "1.36.3" });
  expect(textOf(hops)).toBe("T 1.13.9, K 1.36.3");
  expect(isRoundabout(hops)).toBe(false);
});

test("each hop says what runs when it begins", () => {
  const hops = hopsBetween(
    { talos: "1.11.2", kubernetes: "1.35.4" },
    { talos: "1.13.9", kubernetes: "1.35.4" },
  );
  // 1.11 does not take 1.35 by its own rules, and 1.12 does: what runs is not judged, only what comes.
  expect(hops.map(({ from }) => from)).toEqual(["1.11.2", "1.12.11", undefined]);
  expect(isRoundabout(hops)).toBe(true);
});
