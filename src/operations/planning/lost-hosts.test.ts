import { expect, test } from "vitest";
import type { Change, OwnedMachine, Survey } from "../../plan/index.ts";
import { withFenced, withoutConfused } from "./lost-hosts.ts";

const machine = (host: string, more: Partial<OwnedMachine> = {}): OwnedMachine => ({
  cluster: "lab",
  node: "cp-2",
  role: "control-plane",
  host,
  on: host,
  isRunning: true,
  image: "",
  memoryMiB: 2048,
  cores: 2,
  dataDisksGiB: [],
  keptDisks: [],
  isProtected: false,
  ...more,
});

const surveyOf = (machines: OwnedMachine[]): Survey => ({
  machines,
  images: [],
  keptDisks: [],
  keptDisksHolders: [],
  unreachable: [],
  hosts: [],
});

test("withFenced() takes the machine of a lost host aside, once another was made instead of it", () => {
  const old = machine("lyra");
  const now = machine("orion", { insteadOf: ["lyra"] });
  expect(withFenced(surveyOf([old, now]))).toMatchObject({ machines: [now], fenced: [old] });
});

test("withFenced() decides nothing between two machines of which neither was made instead of the other", () => {
  const twins = surveyOf([machine("lyra"), machine("orion")]);
  expect(withFenced(twins)).toBe(twins);
});

test("withoutConfused() acts on nothing that was seen of a node while its old machine runs beside it", () => {
  const change = (node: string) => ({ node: { cluster: "lab", node } }) as Change;
  const plan = { changes: [change("cp-1"), change("cp-2")], same: [], refused: [], found: {} };
  const running = { ...surveyOf([]), fenced: [machine("lyra")] };
  expect(withoutConfused(plan, running).changes).toEqual([change("cp-1")]);
  const off = { ...surveyOf([]), fenced: [machine("lyra", { isRunning: false })] };
  expect(withoutConfused(plan, off)).toBe(plan);
});
