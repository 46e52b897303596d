import { afterAll, beforeAll, expect, test } from "vitest";
import { replaceNode } from "../../src/operations/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import { isLibvirtHost } from "../../src/spec/index.ts";
import { domainsOf, libvirtFleet as fleet, libvirtState, volumesOf } from "../support/sim/libvirt-moves.ts";
import { errorsIn, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** A machine of libvirt is removed by hand, as virsh does it: unlike on Proxmox all its disks stay where they are. */

let site: RehearsalSite;
beforeAll(async () => {
  site = await runningSite(fleet);
});
afterAll(() => site?.[Symbol.asyncDispose]());

const world = (tell: (event: EventBody) => void = () => {}) =>
  site.rehearsal.world(new AbortController().signal, tell);

async function removeByHand(host: string, node: string): Promise<void> {
  const found = fleet.hosts.filter(isLibvirtHost).find(({ name }) => name === host);
  if (!found) throw new Error(`no host ${host}`);
  const client = await world().openLibvirt(found);
  const domain = await client.findDomain(`lab-${node}`);
  await client.destroyDomain(domain);
  await client.undefineDomain(domain);
  // Kubernetes has to miss it.
  await site.pass(60_000);
}

async function replaced(node: string): Promise<string> {
  const events: EventBody[] = [];
  const confirm = () => Promise.resolve(true);
  const { outcome } = await replaceNode(
    { fleet, node, confirm },
    world((event) => events.push(event)),
  );
  expect(outcome, errorsIn(events).join("; ")).toBe("done");
  expect((await site.plan(fleet)).changes.map(({ node: { id } }) => id)).toEqual([]);
  expect(domainsOf(site).map((each) => each.node)).toEqual(
    expect.arrayContaining(["cp-1", "cp-2", "cp-3", "worker-1"]),
  );
  expect(domainsOf(site)).toHaveLength(4);
  return events.flatMap((event) => (event.type === "log" ? [event.text] : [])).join("\n");
}

const volume = (host: string, name: string) =>
  Object.values(libvirtState(site)[host]?.places ?? {}).flatMap(({ volumes }) => volumes[name] ?? [])[0];

test("a control plane gets a new system disk: with the old one it would come back as a member that has left etcd", async () => {
  const before = volumesOf(site, "lyra", "cp-2");
  await removeByHand("lyra", "cp-2");
  expect(volumesOf(site, "lyra", "cp-2")).toEqual(before);
  expect((await site.up(fleet)).runReport).toMatchObject({
    outcome: "refused",
    error: { code: "RUN_NODE_MAY_LIVE", next: expect.stringContaining("slipway replace lab/cp-2") as string },
  });
  expect(await replaced("cp-2")).toContain("cp-2 gets a new system disk; the old one");
  const [lab] = Object.values(site.rehearsal.datacenter.talos.state());
  expect(lab?.members.map(({ name }) => name).toSorted()).toEqual(["cp-1", "cp-2", "cp-3"]);
  expect(volumesOf(site, "lyra", "cp-2")).toEqual(before);
});

test("a worker gets a new system disk and the data disk that it had", async () => {
  const data = "slipway.lab.worker-1.data1.qcow2";
  const marked = volume("hydra", data);
  if (!marked) throw new Error("no data disk");
  marked.data = { workload: "what it wrote" };
  const before = volumesOf(site, "hydra", "worker-1");
  await removeByHand("hydra", "worker-1");
  expect(await replaced("worker-1")).toContain("worker-1 gets a new system disk; the old one");
  expect(volume("hydra", data)?.data).toEqual({ workload: "what it wrote" });
  expect(volumesOf(site, "hydra", "worker-1")).toEqual(before);
});
