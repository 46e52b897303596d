import { afterAll, beforeAll, expect, test } from "vitest";
import { isProxmoxHost } from "../../src/spec/index.ts";
import { byHand } from "../support/proxmox/manual-changes.ts";
import { errorsIn, fleetOf, type RehearsalSite, runningSite } from "../support/sim/rehearsal-site.ts";

/** Somebody detaches a data disk by hand: Proxmox keeps it as `unused0`, with all that is on it. */

const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.33.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.33.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 2GiB, address: .20, vmid: 3000, dataDisks: [{ size: 10GiB }, { size: 12GiB }] }
`);
let site: RehearsalSite;

beforeAll(async () => {
  site = await runningSite(fleet);
});

afterAll(() => site[Symbol.asyncDispose]());

const config = (vmid: number) => site.rehearsal.datacenter.proxmox.state().vms[vmid]?.config ?? {};
const volumeAt = (vmid: number, key: string) => String(config(vmid)[key] ?? "none").split(",")[0];

async function detach(keys: string): Promise<void> {
  const [hydra] = fleet.hosts.filter(isProxmoxHost);
  if (!hydra) throw new Error("no host");
  using hand = byHand(site.rehearsal, hydra);
  await hand.call("PUT /nodes/{node}/qemu/{vmid}/config", "detach", {
    ...{ node: "hydra", vmid: 3000, delete: keys },
  });
}

test("a data disk that was detached is attached again, not replaced by an empty one [day-two 4]", async () => {
  const [first, second] = [volumeAt(3000, "scsi1"), volumeAt(3000, "scsi2")];
  await detach("scsi1");
  expect(volumeAt(3000, "unused0")).toBe(first);
  const plan = await site.plan(fleet);
  expect(plan.changes.map(({ node, consequence, fields }) => [node.id, consequence, fields])).toEqual([
    ["lab/machine/worker-1", "hot", [{ field: "data disk 1", from: "detached as unused0", to: "attached" }]],
  ]);
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect([volumeAt(3000, "scsi1"), volumeAt(3000, "scsi2")]).toEqual([first, second]);
  expect(volumeAt(3000, "unused0")).toBe("none");
  expect((await site.plan(fleet)).changes).toEqual([]);
});

test("of two detached disks nobody can tell which is which, so none is made anew [day-two 4]", async () => {
  const [first, second] = [volumeAt(3000, "scsi1"), volumeAt(3000, "scsi2")];
  await detach("scsi1,scsi2");
  const before = JSON.stringify(config(3000));
  const { runReport } = await site.up(fleet);
  expect(runReport).toMatchObject({ outcome: "refused", error: { code: "PVE_DISK_UNCLEAR" } });
  expect(JSON.stringify(config(3000))).toBe(before);
  const [hydra] = fleet.hosts.filter(isProxmoxHost);
  if (!hydra) throw new Error("no host");
  using hand = byHand(site.rehearsal, hydra);
  await hand.call("PUT /nodes/{node}/qemu/{vmid}/config", "attach", {
    ...{ node: "hydra", vmid: 3000, scsi1: first, scsi2: `${second},discard=on,ssd=1` },
  });
});

test("down keeps a data disk that was detached as it keeps the others, and says so [day-two 4]", async () => {
  await detach("scsi2");
  const volume = volumeAt(3000, "unused0");
  const { runReport, events } = await site.down(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "log",
      text: `${volume} lay detached on worker-1 and is kept as its data disk`,
    }),
  );
  const { vms } = site.rehearsal.datacenter.proxmox.state();
  expect(vms[3000]).toBeUndefined();
  const kept = Object.values(vms).flatMap((vm) =>
    Object.entries(vm.config).filter(
      ([key, drive]) => /^scsi\d+$/.test(key) && /size=1[02]G/.test(String(drive)),
    ),
  );
  expect(kept).toHaveLength(2);
});
