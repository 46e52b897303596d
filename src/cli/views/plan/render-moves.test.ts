import { expect, test } from "vitest";
import { renderMoves, type MovesInput } from "./render-moves.ts";

const input: MovesInput = {
  verb: "evacuate",
  host: "hydra",
  moves: [
    {
      ...{ node: "lab/worker-1", from: "hydra", to: "orion", isControlPlane: false, way: "live" as const },
      ...{ isHaManaged: false, disksGiB: 40.004, usualMs: 425_000 },
    },
    {
      ...{ node: "lab/worker-4", from: "hydra", to: "lyra", isControlPlane: false, way: "off" as const },
      ...{ isHaManaged: false, disksGiB: 0.004, usualMs: 5_000 },
    },
    {
      ...{ node: "lab/cp-1", from: "hydra", to: "lyra", isControlPlane: true, way: "live" as const },
      ...{ isHaManaged: true, disksGiB: 20, usualMs: 225_000 },
    },
  ],
  staying: [
    { name: "nas", id: 900, kind: "machine", isRunning: true },
    { name: "debian-12", id: 9000, kind: "template", isRunning: false },
  ],
  warnings: ["cp-1, cp-2 of lab share lyra: when it is lost, so is the Kubernetes API"],
};

const canvas = { columns: 80, hasColor: false, isUnicode: true };

test("renderMoves() shows the way of each machine, what to know before, and what stays", () => {
  expect(renderMoves(input, canvas)).toBe(`hydra   evacuate

  lab/worker-1  hydra → orion  live                        copies 40 GiB  ~7m
  lab/worker-4  hydra → lyra   switched off                               ~5s
  lab/cp-1      hydra → lyra   live, by high availability  copies 20 GiB  ~4m

! cp-1, cp-2 of lab share lyra: when it is lost, so is the Kubernetes API
  stays nas (900); template debian-12 (9000), off
3 machines move: each stands still for less than a second, control planes one at
a time.
`);
});

test("renderMoves() leaves out sizes and times where the screen is narrow", () => {
  const narrow = renderMoves(
    { ...input, warnings: [], staying: [] },
    { ...canvas, columns: 60, isUnicode: false },
  );
  expect(narrow).toContain("  lab/cp-1      hydra -> lyra   live, by high availability\n");
});
