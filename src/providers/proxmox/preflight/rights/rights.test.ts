import { expect, test } from "vitest";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
  type ProxmoxSite,
} from "../../../../../test/support/proxmox/site.ts";
import type { Cluster, Node } from "../../../../spec/index.ts";
import { plain, rolesOf } from "./grant-commands.ts";
import { checkedRights, type NeededRole } from "./rights.ts";
import { everyUse, type Uses } from "./rights-uses.ts";

const host = siteHost("one", "pve1", { token: { id: "poor@pve!main", secret: { env: "PVE_TOKEN" } } });
const node = siteNode("cp-1", { dataDisks: [{ sizeGiB: 5, isDisposable: true }] });
const cluster = siteCluster([node]);
const needsOf = (
  line: 8 | 9,
  more: Partial<Cluster> = {},
  machine: Partial<Node> = {},
  uses: Partial<Uses> = {},
) =>
  checkedRights({
    uses: { ...everyUse, setsSeed: false, ...uses },
    cluster: { ...cluster, ...more },
    host,
    nodes: [{ node: { ...node, ...machine }, vmid: 2000 }],
    line,
    zoneOf: () => undefined,
  });

/** Makes a machine from its image, changes it, and takes both away. What is told as left undone counts as refused. */
async function wholeLife(site: ProxmoxSite): Promise<void> {
  const provider = site.freshProvider([host]);
  const survey = await provider.survey(site.ctx, [host]);
  const placed = [{ node, host, id: 2000 }];
  const graph = provider.describe(cluster, placed, siteNeeds(survey));
  for (const step of graph) await site.resource(step.kind, provider).create(site.ctx, step.want);
  const grown = { ...node, cores: 4, memoryMiB: 4096, diskGiB: 25 };
  const changed = provider.describe(
    siteCluster([grown]),
    [{ node: grown, host, id: 2000 }],
    siteNeeds(survey),
  );
  for (const step of changed) {
    const resource = site.resource(step.kind, provider);
    const have = await resource.read(site.ctx, step.want);
    await resource.update(site.ctx, step.want, have);
  }
  for (const step of graph.toReversed()) {
    const resource = site.resource(step.kind, provider);
    const have = await resource.read(site.ctx, step.want);
    await resource.remove(site.ctx, have);
  }
  const { vms, volumes } = site.proxmox.state();
  if (Object.keys(vms).length + volumes.length > 0) throw new Error("something is left");
}

function clear(site: ProxmoxSite): void {
  const state = site.proxmox.state();
  state.vms = {};
  state.volumes = [];
}

function grantTo(site: ProxmoxSite, needs: NeededRole[]): void {
  const state = site.proxmox.state();
  for (const [role, privs] of rolesOf(needs)) state.roles[role] = { privs, isBuiltIn: false };
  state.acl.push(
    ...needs.map(({ grantAt: path, role, isLocal }) => ({
      path,
      role,
      kind: "user" as const,
      id: "poor@pve",
      propagate: isLocal !== true,
    })),
  );
}

test.each(["9.2", "8.4"] as const)(
  "on Proxmox %s the computed rights are enough for a machine's life, and none is too much",
  async (version) => {
    await using site = await proxmoxSite({ version, token: "poor@pve!main" });
    const needs = needsOf(version === "9.2" ? 9 : 8).map(({ later: _later, ...need }) => need);
    grantTo(site, needs);
    await wholeLife(site);
    const all = [...rolesOf(needs)].flatMap(([role, rights]) => rights.map((right) => ({ role, right })));
    const spared: string[] = [];
    for (const { role, right } of all) {
      const held = site.proxmox.state().roles[role];
      if (!held) throw new Error(`no role ${role}`);
      const { privs } = held;
      held.privs = privs.filter((each) => each !== right);
      const isEnough = await wholeLife(site).then(
        () => true,
        () => false,
      );
      if (isEnough) spared.push(right);
      held.privs = privs;
      clear(site);
    }
    // What a node is like is asked for by preflight and placement, before any of this; its console by who installs it.
    expect(spared).toEqual(["VM.Console", "Sys.Audit"]);
  },
);

const rightsAt = (needs: NeededRole[]): Record<string, string[]> =>
  Object.fromEntries(needs.map((need) => [need.grantAt, need.rights.map(plain)]));

test("each wish of the file asks for its own right, under the name the version has for it", () => {
  const usual = rightsAt(needsOf(9))["/vms"] ?? [];
  const more = (line: 8 | 9, wish: Partial<Cluster>): string[] =>
    (rightsAt(needsOf(line, wish))["/vms"] ?? []).filter((right) => !usual.includes(right));
  const agent = { ...cluster.distribution, extensions: ["siderolabs/qemu-guest-agent"] };
  expect(more(9, { distribution: agent })).toEqual(["VM.GuestAgent.Audit"]);
  expect(more(8, { distribution: agent })).toEqual(["VM.Monitor"]);
  expect(more(9, { snapshots: { keep: 2 } })).toEqual(["VM.Snapshot"]);
  expect(more(9, { bootSource: { kind: "iso" } })).toEqual(["VM.Config.CDROM"]);
});

test("backups of machines ask for their rights where the file has them, on the machines and their storage alone", () => {
  const backups = (needs: NeededRole[]) =>
    needs.flatMap(({ path, rights, later = [] }) =>
      [...rights, ...later]
        .filter((right) => right === "VM.Backup" || path === "/storage/nas")
        .map((right) => [path, right]),
    );
  expect(backups(needsOf(9))).toEqual([]);
  const needs = needsOf(9, { machineBackups: { storage: "nas" } });
  expect(backups(needs)).toEqual([
    ["/vms/2000", "VM.Backup"],
    ["/storage/nas", "Datastore.AllocateSpace"],
  ]);
  // A run that backs nothing up does without.
  expect(needs.flatMap(({ rights }) => rights)).not.toContain("VM.Backup");
});

test("a clone gets its seed by a change, which takes rights that a new machine does not need [proxmox 1]", () => {
  const existing = { kind: "existing", vmid: 400, clone: "auto" } as const;
  const rights = (bootSource: Cluster["bootSource"], uses: Partial<Uses> = {}): string[] =>
    (rightsAt(needsOf(9, { bootSource }, {}, uses))["/vms"] ?? []).filter((right) =>
      ["VM.Clone", "VM.Config.CDROM", "VM.Config.Cloudinit"].includes(right),
    );
  const all = ["VM.Config.CDROM", "VM.Config.Cloudinit", "VM.Clone"];
  expect(rights(existing)).toEqual(all);
  expect(rights({ kind: "template", clone: "auto", vmids: { "control-plane": 998, worker: 999 } })).toEqual(
    all,
  );
  // Machines that exist go on without them, until their seed moves.
  expect(rights(existing, { makesMachines: false })).toEqual(["VM.Clone"]);
  expect(rights({ kind: "image" })).toEqual([]);
  expect(rights({ kind: "image" }, { setsSeed: true })).toEqual(["VM.Config.CDROM", "VM.Config.Cloudinit"]);
});

test("the rights that are granted hold all that later runs may use", () => {
  const granted = rolesOf(
    checkedRights({
      cluster,
      host,
      nodes: [{ node }],
      line: 9,
      zoneOf: () => undefined,
    }),
  );
  expect(granted.get("SlipwayMachines")).toEqual([
    "VM.Allocate",
    "VM.Audit",
    "VM.Config.CDROM",
    "VM.Config.CPU",
    "VM.Config.Cloudinit",
    "VM.Config.Disk",
    "VM.Config.HWType",
    "VM.Config.Memory",
    "VM.Config.Network",
    "VM.Config.Options",
    "VM.Console",
    "VM.PowerMgmt",
    "VM.Snapshot",
  ]);
  expect(granted.get("SlipwayCluster")).toEqual(["Sys.Audit"]);
});

test("what concerns the whole Proxmox cluster is asked for on / alone", () => {
  const start = { hardware: { start: { onBoot: true, order: 10 } } };
  expect(needsOf(9, { isHighlyAvailable: true }, start).find((need) => need.grantAt === "/")).toEqual({
    role: "SlipwayCluster",
    path: "/",
    grantAt: "/",
    rights: ["Sys.Audit", "Sys.Console", "Sys.Modify"],
    isLocal: true,
  });
  expect(rightsAt(needsOf(9))["/"]).toEqual([]);
});

test("a clone begins on the networks of its template, which takes a right there [proxmox 1]", async () => {
  await using site = await proxmoxSite({
    hosts: [host],
    token: "poor@pve!main",
    datacenter: `vms: { "400": { node: pve1, config: { name: golden, template: 1, scsi0: "fast:base-400-disk-0,size=2G", boot: "order=scsi0", net0: "virtio=BC:24:11:00:00:01,bridge=vmbr1" } } }
images: [{ storage: fast, node: pve1, file: base-400-disk-0, size: 2GiB }]`,
  });
  const cloned = { ...cluster, bootSource: { kind: "existing", vmid: 400, clone: "auto" } as const };
  grantTo(site, needsOf(9, { bootSource: cloned.bootSource }, {}, { setsSeed: true }));
  const survey = await site.provider.survey(site.ctx, [host]);
  const checks = site.provider.preflight(cloned, [{ node, host, id: 2000 }], survey);
  const finding = await checks.find((check) => check.id === "proxmox-rights")?.run(site.ctx);
  // No file names that bridge, so the command does.
  expect(finding?.error).toMatchObject({
    why: "it lacks SDN.Use on /sdn/zones/localnetwork/vmbr1",
    next: "On a Proxmox node run: pveum acl modify /sdn/zones/localnetwork/vmbr1 --users poor@pve --tokens 'poor@pve!main' --roles SlipwayNetwork",
  });
});
