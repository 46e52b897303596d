import { expect, test } from "vitest";
import { renderRotation } from "./render-rotation.ts";
import { testScreen } from "../../../../test/support/screens/canvas.ts";

const steps = (stage: string, nodes: string[]) => [
  { stage, usualMs: 5_000 },
  ...nodes.map((node) => ({ stage, node, usualMs: 45_000 })),
];

test("renderRotation() shows stage by stage what is left, where it waits, and what it costs others", () => {
  const nodes = ["cp-1", "cp-2", "worker-1"];
  const shown = renderRotation(
    {
      cluster: "lab",
      title: "Kubernetes CA",
      steps: [
        ...steps("all nodes accept the new CA beside the old", nodes),
        ...steps("all nodes issue with the new CA, the old one is still accepted", nodes),
      ],
      warnings: ["API server and kubelet of each node start again, one node at a time; pods run on"],
      finish: "slipway rotate ca kubernetes lab --finish",
    },
    testScreen(),
  );
  expect(shown).toMatchInlineSnapshot(`
    "lab   rotate the Kubernetes CA

      1  all nodes accept the new CA beside the old
         cp-1, cp-2, worker-1; ~2m 20s
      2  all nodes issue with the new CA, the old one is still accepted
         cp-1, cp-2, worker-1; ~2m 20s
      then  it waits, with both accepted, for:
            slipway rotate ca kubernetes lab --finish

    ! API server and kubelet of each node start again, one node at a time; pods run
      on
    "
  `);
});
