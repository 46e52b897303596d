import { expect, test } from "vitest";
import { subjectLabel } from "./step-name.ts";

test("what Proxmox is asked for beside machines is called by what it is, not by the host that answers for it", () => {
  const step = { group: "cluster", host: "hydra" } as const;
  expect(subjectLabel({ ...step, id: "lab/ha/hydra" })).toBe("HA");
  expect(subjectLabel({ ...step, id: "lab/account/hydra" })).toBe("Proxmox account");
  expect(subjectLabel({ ...step, group: "nodes", id: "lab/snapshot/worker-1" })).toBe("snapshot of worker-1");
});
