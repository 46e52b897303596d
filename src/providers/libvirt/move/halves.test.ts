import { expect, test } from "vitest";
import type { OwnedMachine } from "../../../plan/index.ts";
import type { MachineMark } from "../mark.ts";
import { sortHalves, type Marked } from "./halves.ts";

const mark: MachineMark = {
  cluster: "lab",
  node: "cp-1",
  role: "control-plane",
  image: "talos.raw",
  slipway: "1",
};
const arriving = { from: "hydra", wasRunning: true, startedWithHost: true };

const on = (host: string, isRunning: boolean, more: Partial<MachineMark> = {}): Marked => ({
  mark: { ...mark, ...more },
  machine: {
    ...{ cluster: "lab", node: "cp-1", role: "control-plane", host, on: host, isRunning },
    ...{ image: "talos.raw", memoryMiB: 2048, cores: 2, dataDisksGiB: [], keptDisks: [], isProtected: false },
  } satisfies OwnedMachine,
});

const sorted = (...found: Marked[]) => {
  const { machines, halves } = sortHalves(found);
  return {
    machines: machines.map(({ host }) => host),
    halves: halves.map(({ host, what, other, isWaste }) => ({ host, what, other, isWaste })),
  };
};

test("until the old machine says where it has gone, the copy is only half of one", () => {
  const half = { host: "lyra", what: "copy", other: "hydra", isWaste: true };
  expect(sorted(on("hydra", false), on("lyra", false, { arriving }))).toEqual({
    machines: ["hydra"],
    halves: [half],
  });
  expect(sorted(on("hydra", true), on("lyra", false, { arriving }))).toEqual({
    machines: ["hydra"],
    halves: [half],
  });
});

test("from then on the copy is the machine, and the old one is waste once the copy runs", () => {
  const old = { host: "hydra", what: "old", other: "lyra" };
  const gone = on("hydra", false, { movedTo: "lyra" });
  expect(sorted(gone, on("lyra", false, { arriving }))).toEqual({
    machines: ["lyra"],
    halves: [{ ...old, isWaste: false }],
  });
  expect(sorted(gone, on("lyra", true, { arriving }))).toEqual({
    machines: ["lyra"],
    halves: [{ ...old, isWaste: true }],
  });
  expect(sorted(gone, on("lyra", true))).toEqual({ machines: ["lyra"], halves: [{ ...old, isWaste: true }] });
});

test("a half whose other end is out of sight is no machine, and nobody's to remove", () => {
  expect(sorted(on("lyra", false, { arriving })).halves).toMatchObject([{ what: "copy", isWaste: false }]);
  expect(sorted(on("hydra", false, { movedTo: "lyra" })).halves).toMatchObject([
    { what: "old", isWaste: false },
  ]);
});

test("what runs is a machine, whatever its mark says: two that run are shown as two", () => {
  expect(sorted(on("hydra", true, { movedTo: "lyra" }), on("lyra", true, { arriving })).machines).toEqual([
    "hydra",
    "lyra",
  ]);
});
