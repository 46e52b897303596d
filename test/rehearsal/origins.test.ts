import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Fleet } from "../../src/spec/index.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/rehearsal-site.ts";

/** One control plane and two workers, made in the way that `from` says. */
const lab = (from: string, version = "1.13.8"): Fleet =>
  fleetOf(`version: 1
hosts:
  hydra:
    proxmox:
      url: https://192.168.7.2:8006
      token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }
      tls: { insecure: true }
      storage: { images: local, disks: local-lvm }
clusters:
  lab:
    from: ${from}
    talos: { version: ${version} }
    network: { cidr: 192.168.7.0/24, gateway: .1 }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: .10 }
    workers: { count: 2, cores: 2, memory: 2GiB, disk: 20GiB, dataDisks: [{ size: 5GiB }], address: .20 }
`);

const vm = (site: RehearsalSite, vmid: number) => site.rehearsal.datacenter.proxmox.state().vms[String(vmid)];
const files = (site: RehearsalSite): string[] =>
  site.rehearsal.datacenter.proxmox.state().volumes.map((volume) => volume.name);

async function comesUp(site: RehearsalSite, fleet: Fleet): Promise<string[]> {
  const up = await site.up(fleet);
  expect(errorsIn(up.events)).toEqual([]);
  expect(up.ending.outcome).toBe("done");
  expect((await site.plan(fleet)).changes.map((change) => change.node.id)).toEqual([]);
  return up.events.flatMap((event) => (event.type === "plan" ? event.steps.map((step) => step.title) : []));
}

async function goesDown(site: RehearsalSite, fleet: Fleet, left: number[]): Promise<void> {
  const down = await site.down(fleet, { isDataLossAccepted: true });
  expect(errorsIn(down.events)).toEqual([]);
  expect(site.machines()).toEqual(left);
  expect(files(site).filter((name) => !name.includes("base-400-"))).toEqual([]);
}

let seed: RehearsalSite;
beforeAll(async () => {
  seed = await rehearsalSite(lab("iso"));
  await comesUp(seed, lab("iso"));
}, 60_000);
afterAll(() => seed[Symbol.asyncDispose]());

describe("the same cluster", { timeout: 60_000 }, () => {
  test("from an ISO: it installs itself, the ISO is taken out, and down leaves nothing", async () => {
    expect(vm(seed, 2000)?.config).toMatchObject({ ide0: "none,media=cdrom" });
    const { client, machine } = { client: seed, machine: vm(seed, 3000) };
    // A running machine keeps its drive and its order until it is switched off.
    expect(machine?.pending).toEqual({ set: { boot: "order=scsi0" }, delete: ["ide0"] });
    await goesDown(client, lab("iso"), []);
  });
});
