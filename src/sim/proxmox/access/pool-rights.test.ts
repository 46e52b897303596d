import { expect, test } from "vitest";
import { defaultDatacenter, type DatacenterFile } from "../../datacenter-file.ts";
import { bench, type Bench } from "../../../../test/support/sim-proxmox-bench.ts";

/** The account may do everything with machines of the pool `lab`, and nothing with others. */
async function pooled(version: DatacenterFile["version"]): Promise<Bench> {
  const grant = (path: string, role: string) => ({ path, role, user: "slipway@pve", propagate: true });
  const box = await bench({
    datacenter: {
      ...defaultDatacenter(),
      version,
      acl: [grant("/pool/lab", "PVEVMAdmin"), grant("/storage", "PVEDatastoreUser")],
    },
  });
  box.sim.state().pools["lab"] = { vms: [], storages: [] };
  return box;
}

const machine = { vmid: "302", pool: "lab", name: "cp-1" };

test("9.2 refuses tags at create where the rights come from the pool, and takes them afterwards", async () => {
  const box = await pooled("9.2");
  expect(await box.run("POST", "/nodes/hydra/qemu", { ...machine, tags: "slipway" })).toBe(
    "unable to create VM 302 - 403 Permission check failed (/vms/302, VM.Config.Options)",
  );
  expect(await box.run("POST", "/nodes/hydra/qemu", machine)).toBe("OK");
  const tagged = await box.ask("PUT", "/nodes/hydra/qemu/302/config", { tags: "slipway" });
  expect(tagged.status).toBe(200);
});

test("8.4 takes tags at create", async () => {
  const box = await pooled("8.4");
  expect(await box.run("POST", "/nodes/hydra/qemu", { ...machine, tags: "slipway" })).toBe("OK");
  expect(box.sim.state().vms["302"]?.config["tags"]).toBe("slipway");
});
