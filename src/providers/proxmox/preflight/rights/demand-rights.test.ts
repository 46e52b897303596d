import { expect, test } from "vitest";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
  type ProxmoxSite,
} from "../../../../../test/support/proxmox/site.ts";

const host = siteHost("one", "pve1", { token: { id: "poor@pve!main", secret: { env: "PVE_TOKEN" } } });

/** Machine `cp-1`, and a token that lacks what is named. */
async function siteWithout(...rights: string[]): Promise<ProxmoxSite> {
  const site = await proxmoxSite({
    token: "poor@pve!main",
    hosts: [host, siteHost("two", "pve2")],
    acl: `  - { path: /, role: Most, user: "poor@pve" }`,
    datacenter: "roles: { Most: [] }",
  });
  const state = site.proxmox.state();
  const all = state.roles["Administrator"]?.privs ?? [];
  state.roles["Most"] = { privs: all, isBuiltIn: false };
  const node = siteNode("cp-1", { dataDisks: [{ sizeGiB: 5 }] });
  for (const step of site.provider.describe(siteCluster([node]), [{ node, host, id: 2000 }], siteNeeds())) {
    await site.resource(step.kind).create(site.ctx, step.want);
  }
  state.roles["Most"] = { privs: all.filter((right) => !rights.includes(right)), isBuiltIn: false };
  return site;
}

const machinesOf = async (site: ProxmoxSite) => (await site.provider.survey(site.ctx, [host])).machines;

test("a snapshot without its right is refused by name, with the token and what to do [proxmox 8]", async () => {
  await using site = await siteWithout("VM.Snapshot");
  const machines = await machinesOf(site);
  await expect(site.provider.demandRights(site.ctx, machines, "snapshots")).rejects.toMatchObject({
    code: "PVE_RIGHTS_MISSING",
    what: 'Cannot work on "one" with token poor@pve!main',
    why: "it lacks VM.Snapshot on /vms",
    next: "slipway proxmox grant one",
    // The token may have its rights from a role on /, which a role on /vms takes the place of.
    else: expect.stringMatching(
      /role add SlipwayMachines --privs "VM.Allocate .* VM.Snapshot" && /,
    ) as string,
  });
  // Whoever asks the server itself hears who lacks what as well.
  const [machine] = machines;
  const snapshot = { name: "slipway-20260714-093102", description: "" };
  const taken = site.client.takeSnapshot({ node: "pve1", vmid: machine?.id ?? 0 }, snapshot);
  await expect(taken).rejects.toMatchObject({
    code: "PVE_FORBIDDEN",
    why: "token poor@pve!main lacks VM.Snapshot on /vms/2000",
    next: "Give the token what the file needs: slipway proxmox grant",
  });
});

test("a worker that leaves is looked at before, also where its host gets no other machine", async () => {
  await using site = await siteWithout("VM.Allocate");
  const survey = await site.provider.survey(site.ctx, [host]);
  const other = siteNode("cp-2");
  const elsewhere = siteHost("two", "pve2");
  const checks = site.provider.preflight(
    siteCluster([other], { on: ["two"] }),
    [{ node: other, host: elsewhere, id: 2001 }],
    survey,
  );
  const check = checks.find((each) => each.id === "proxmox-removal");
  expect(await check?.run(site.ctx)).toMatchObject({
    status: "failed",
    error: { code: "PVE_RIGHTS_MISSING", why: "it lacks VM.Allocate on /vms" },
  });
});

test("a removal that sets disks aside names all it lacks at once", async () => {
  await using site = await siteWithout("VM.Config.Disk", "VM.PowerMgmt", "Datastore.AllocateSpace");
  const machines = await machinesOf(site);
  await expect(site.provider.demandRights(site.ctx, machines, "removal")).rejects.toMatchObject({
    why: "it lacks VM.PowerMgmt, VM.Config.Disk on /vms; Datastore.AllocateSpace on /storage/fast",
  });
  const losing = machines.map((machine) => ({ ...machine, keptDisks: [] }));
  await expect(site.provider.demandRights(site.ctx, losing, "removal")).rejects.toMatchObject({
    why: "it lacks VM.PowerMgmt on /vms",
  });
});

test("a backup asks for the right on the machine and for room on its storage", async () => {
  await using site = await siteWithout("VM.Backup", "Datastore.AllocateSpace");
  const machines = await machinesOf(site);
  const asked = site.provider.demandRights(site.ctx, machines, "backups", "local");
  await expect(asked).rejects.toMatchObject({
    code: "PVE_RIGHTS_MISSING",
    why: "it lacks VM.Backup on /vms; Datastore.AllocateSpace on /storage/local",
  });
});
