import { expect, test } from "vitest";
import { faceOf, type AnyResource, type Face, type GraphNode } from "../../plan/index.ts";
import { proxmoxAccount } from "./account/account.ts";
import { proxmoxHa } from "./ha/ha.ts";
import { proxmoxSnapshot } from "./snapshot/snapshot.ts";

/** A face asks nobody, so these need no host. */
const nobody = {} as never;

function face(resource: unknown, id: string, want: object = {}): Face {
  const { kind } = resource as AnyResource;
  const node: GraphNode = {
    ...{ id, kind, name: "", want, after: [], group: "cluster", stage: "machines", cluster: "lab" },
    host: "hydra",
  };
  return faceOf(node, resource as AnyResource);
}

test("what Proxmox is asked for beside machines is called by what it is, not by the host that answers for it", () => {
  expect(face(proxmoxHa(nobody), "lab/ha/hydra").label).toBe("HA");
  expect(face(proxmoxAccount(nobody), "lab/account/hydra")).toMatchObject({
    label: "Proxmox account",
    planLine: { counted: "account", name: "hydra" },
  });
  expect(face(proxmoxSnapshot(nobody), "lab/snapshot/worker-1", { node: "worker-1" }).label).toBe(
    "snapshot of worker-1",
  );
});
