import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  proxmoxSite,
  siteCluster,
  siteHost,
  siteNeeds,
  siteNode,
  siteStorages,
  type ProxmoxSite,
  type ProxmoxSiteOptions,
} from "../../../../../test/support/proxmox/site.ts";
import { isFull, whole } from "../../../../../test/support/whole-sweep.ts";
import { connectProxmox } from "../../../../clients/proxmox/index.ts";
import { errorData, type ErrorData, type SlipwayError } from "../../../../errors/index.ts";
import type { Finding, RightsFor } from "../../../../plan/index.ts";
import { accountStore } from "../../../../secrets/index.ts";
import type { Cluster, LinuxDistribution, Node, ProxmoxHost } from "../../../../spec/index.ts";
import { proxmoxProvider, type ProxmoxSession } from "../../index.ts";
import { plain, rolesOf } from "./grant-commands.ts";
import { checkedRights, type NeededRole } from "./rights.ts";

/** What a cluster file says, as far as one way of using it differs from the plainest. */
interface Said {
  cluster?: Partial<Cluster>;
  node?: Partial<Node>;
  host?: Partial<ProxmoxHost["proxmox"]>;
}

/** One way of using the product. */
interface Way extends Said {
  site?: ProxmoxSiteOptions;
  /** The way is a change: this is what the file says afterwards. */
  afterwards?: Said;
  /** The way is a command on machines that exist. */
  command?: RightsFor;
}

const debian: LinuxDistribution = {
  kind: "linux",
  architecture: "amd64",
  image: { url: "https://images.example.org/noble-server-cloudimg-amd64.img" },
  user: "ubuntu",
  keys: [{ text: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ somebody" }],
  packages: ["qemu-guest-agent"],
  files: [],
  commands: [],
  firstContact: "console",
};

const golden = (config: string): ProxmoxSiteOptions => ({
  datacenter: `vms: { "400": { node: pve1, config: { name: golden, template: 1, scsi0: "fast:base-400-disk-0,size=2G", boot: "order=scsi0"${config} } } }
images: [{ storage: fast, node: pve1, file: base-400-disk-0, size: 2GiB }, { storage: fast, node: pve1, file: vm-400-cloudinit, size: 4MiB }]`,
});
const existing = { cluster: { bootSource: { kind: "existing", vmid: 400, clone: "auto" } } } satisfies Said;
const ceph = siteStorages({ disks: "ceph", templates: "ceph", cloudInit: "ceph" });
const storages = `  local: { type: dir, size: 100GiB, content: [iso, import] }
  fast: { type: lvmthin, size: 500GiB, content: [images] }
  slow: { type: lvmthin, size: 500GiB, content: [images] }
  ceph: { type: rbd, size: 500GiB, content: [images], shared: true }`;
const disk = { sizeGiB: 5, isDisposable: true } as const;
const network = siteCluster([]).network;

const ways: Record<string, Way> = {
  "a machine from an image": {},
  "a machine from an ISO": { cluster: { bootSource: { kind: "iso" } } },
  "a machine from a template of ours": {
    cluster: {
      bootSource: { kind: "template", clone: "auto", vmids: { "control-plane": 998, worker: 999 } },
    },
  },
  "a clone of a template without a seed": { ...existing, site: golden("") },
  "a clone of a template with a seed": {
    ...existing,
    site: golden(`, ide2: "fast:vm-400-cloudinit,media=cdrom"`),
  },
  "a clone of a template into a pool": { ...existing, host: { pool: "lab" }, site: golden("") },
  "a Linux machine from a cloud image": { cluster: { distribution: debian } },
  "a machine with UEFI, a TPM, data disks, a start order, tags and snapshots in a pool": {
    cluster: { tags: ["production"], snapshots: { keep: 2 } },
    node: {
      hardware: { firmware: "uefi", tpm: true, start: { onBoot: true, order: 10 } },
      dataDisks: [{ ...disk, storage: "ceph" }],
    },
    host: { pool: "lab", storage: siteStorages({ cloudInit: "slow" }) },
  },
  "high availability": { cluster: { isHighlyAvailable: true }, host: { storage: ceph } },
  "an account for the cluster": { cluster: { hasCloudAccount: true } },
  "a change of cores, memory, disks, network, tags and protection": {
    afterwards: {
      cluster: { tags: ["production"], network: { ...network, mtu: 1400, dns: ["9.9.9.9"] } },
      node: { cores: 4, memoryMiB: 4096, diskGiB: 25, dataDisks: [disk], storage: "slow", isProtected: true },
    },
  },
  "a data disk less": {
    node: { dataDisks: [{ ...disk, storage: "slow" }] },
    afterwards: { node: { dataDisks: [] } },
  },
  "the seed on another storage than before": {
    afterwards: { host: { storage: siteStorages({ cloudInit: "slow" }) } },
  },
  "high availability no more": {
    cluster: { isHighlyAvailable: true },
    host: { storage: ceph },
    afterwards: { host: { storage: ceph } },
  },
  "slipway snapshot": { command: "snapshots" },
  "slipway snapshot rollback": { command: "rollback" },
  "slipway evacuate": { cluster: { on: ["one", "two"] }, command: "moves" },
  "slipway down": { node: { isProtected: true, dataDisks: [{ sizeGiB: 5 }] }, command: "removal" },
};

const vmid = 2000;
const token = { id: "poor@pve!main", secret: { env: "PVE_TOKEN" } } as const;
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((each) => rm(each, { recursive: true, force: true }))));

function file({ cluster, node, host }: Said) {
  const one = siteHost("one", "pve1", { token, ...host });
  const made = siteNode("cp-1", node);
  return { host: one, node: made, cluster: siteCluster([made], cluster) };
}

type SaidFile = ReturnType<typeof file>;

const needsOf = ({ cluster, host, node }: SaidFile): NeededRole[] =>
  checkedRights({ cluster, host, nodes: [{ node, vmid }], line: 9, zoneOf: () => undefined });

/** Exactly what `slipway proxmox grant` gives. */
function grant(site: ProxmoxSite, needs: NeededRole[]): void {
  const state = site.proxmox.state();
  for (const [role, rights] of rolesOf(needs)) {
    const held = state.roles[role]?.privs ?? [];
    state.roles[role] = { privs: [...new Set([...held, ...rights])], isBuiltIn: false };
  }
  const rules = needs.map(({ grantAt, role, isLocal }) => ({
    path: grantAt,
    role,
    kind: "user" as const,
    id: "poor@pve",
    propagate: isLocal !== true,
  }));
  state.acl = [...new Map([...state.acl, ...rules].map((rule) => [JSON.stringify(rule), rule])).values()];
}

async function providerOf(site: ProxmoxSite, host: ProxmoxHost): Promise<ProxmoxSession> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-rights-"));
  folders.push(folder);
  return proxmoxProvider({
    connect: async () => site.client,
    slipway: "0.1.0",
    loginKey: async (cluster) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK ${cluster}`,
    accounts: accountStore(folder),
    connectAs: async (_host, { id, secret }) =>
      connectProxmox({
        url: "https://10.0.0.1:8006",
        token: { id, secret },
        trust: { fingerprint: site.proxmox.fingerprint },
        dial: site.dial,
        clock: site.clock,
      }),
  }).open([host]);
}

/** Every finding that is not plainly well, by the name of its check. */
async function preflight(site: ProxmoxSite, said: SaidFile): Promise<Map<string, Finding>> {
  const provider = await providerOf(site, said.host);
  const survey = await provider.survey(site.ctx, [said.host]);
  const checks = provider.preflight(said.cluster, [{ ...said, id: vmid }], survey);
  const found = await Promise.all(checks.map(async (each) => [each.id, await each.run(site.ctx)] as const));
  return new Map(found.filter(([, finding]) => finding.status !== "ok"));
}

/** Makes what the file says, or changes what is there into it. */
async function up(site: ProxmoxSite, said: SaidFile): Promise<void> {
  const provider = await providerOf(site, said.host);
  const survey = await provider.survey(site.ctx, [said.host]);
  for (const step of provider.describe(said.cluster, [{ ...said, id: vmid }], siteNeeds(survey))) {
    const resource = site.resource(step.kind, provider);
    const have = await resource.read(site.ctx, step.want);
    if (have === undefined) await resource.create(site.ctx, step.want);
    else if (!resource.compare(step.want, have).same) await resource.update(site.ctx, step.want, have);
  }
}

async function machinesOn(site: ProxmoxSite, said: SaidFile) {
  const provider = await providerOf(site, said.host);
  const { machines } = await provider.survey(site.ctx, [said.host]);
  return { provider, machines };
}

/** What a command does, after it was asked whether it may. */
async function carryOut(site: ProxmoxSite, said: SaidFile, command: RightsFor): Promise<void> {
  const { provider, machines } = await machinesOn(site, said);
  if (command === "removal") {
    const removalScope = { losesData: false, clusters: ["lab"], areLeftovers: true };
    const survey = await provider.survey(site.ctx, [said.host]);
    for (const step of provider.describeLeftovers(survey, () => true, new Set(), removalScope)) {
      const resource = site.resource(step.kind, provider);
      const have = await resource.read(site.ctx, step.want);
      if (have !== undefined && step.kind === "proxmox/machine") await resource.remove(site.ctx, have);
    }
    return;
  }
  if (command === "moves") {
    const survey = await provider.survey(site.ctx, [said.host]);
    const outlooks = await provider.moves.outlook(site.ctx, machines, [], survey);
    const to = siteHost("two", "pve2");
    for (const step of provider.moves.describe(outlooks.map((outlook) => ({ outlook, to })))) {
      const resource = site.resource(step.kind, provider);
      await resource.update(site.ctx, step.want, await resource.read(site.ctx, step.want));
    }
    return;
  }
  const name = "slipway-20260714-093102";
  const take = provider.snapshots.describe(machines, { name });
  const back = command === "rollback" ? provider.snapshots.describeRollback(machines, name) : [];
  for (const step of [...take, ...back]) {
    await site.resource(step.kind, provider).create(site.ctx, step.want);
  }
}

const demanded = async (
  site: ProxmoxSite,
  said: SaidFile,
  command: RightsFor,
): Promise<ErrorData | undefined> => {
  const { provider, machines } = await machinesOn(site, said);
  return provider.demandRights(site.ctx, machines, command).then(
    () => undefined,
    (thrown: unknown) => errorData(thrown as SlipwayError),
  );
};

interface Trial {
  /** Preflight, or the command itself, named the right. */
  isNamed: boolean;
  /** Checks that only said a word. */
  warnings: string[];
}

/** What stands against it, and what is only said. Nothing is changed by asking. */
async function ask(site: ProxmoxSite, way: Way): Promise<{ refusal?: ErrorData; warnings: string[] }> {
  const said = file(way.afterwards ?? way);
  if (way.command) {
    const refusal = await demanded(site, said, way.command);
    return { ...(refusal && { refusal }), warnings: [] };
  }
  const findings = [...(await preflight(site, said))];
  const refusal = findings.find(([, finding]) => finding.status === "failed")?.[1].error;
  return { ...(refusal && { refusal }), warnings: findings.map(([id]) => id) };
}

/** Asks as a run would. Whoever is not refused must get through. */
async function attempt(site: ProxmoxSite, way: Way, right: string): Promise<Trial> {
  const before = stateText(site);
  const { refusal, warnings } = await ask(site, way);
  if (stateText(site) !== before) throw new Error("asking has changed something");
  if (refusal?.code === "PVE_RIGHTS_MISSING" && refusal.why.includes(right))
    return { isNamed: true, warnings };
  if (refusal) throw new Error(`refused for something else: ${refusal.code} ${refusal.why}`);
  const said = file(way.afterwards ?? way);
  await (way.command ? carryOut(site, said, way.command) : up(site, said));
  return { isNamed: false, warnings };
}

const stateText = (site: ProxmoxSite): string => {
  const { vms, volumes, pools, users, tokens, ha } = site.proxmox.state();
  return JSON.stringify({ vms, volumes, pools, users, tokens, ha });
};

const missedBySomebody = new Set<string>();
const granted = new Set<string>();

/** A usual run takes away what no way before has missed, and some of the rest; a full one, each right of each way. */
let asked = 0;
const isTried = (right: string): boolean => isFull || !missedBySomebody.has(right) || (asked += 1) % 12 === 0;

test.each(Object.entries(ways))(
  "without one of its rights, %s is refused before anything is changed, or works [proxmox 1]",
  whole,
  async (_name, way) => {
    await using site = await proxmoxSite({ token: "poor@pve!main", storages, ...way.site });
    site.proxmox.state().pools["lab"] = { vms: [], storages: [] };
    const [first, last] = [file(way), file(way.afterwards ?? way)];
    const needs = [...needsOf(first), ...needsOf(last)];
    grant(site, needs);
    if (way.afterwards || way.command) await up(site, first);
    const start = structuredClone(site.proxmox.state());
    const restore = () => {
      const { roles, acl, ...rest } = structuredClone(start);
      Object.assign(site.proxmox.state(), rest, { roles, acl });
    };
    const unhindered = await attempt(site, way, "nothing");
    expect(unhindered.isNamed).toBe(false);
    restore();
    for (const [role, rights] of rolesOf(needs)) {
      for (const right of rights) {
        granted.add(`${role} ${right}`);
        if (!isTried(`${role} ${right}`)) continue;
        const held = site.proxmox.state().roles[role];
        if (!held) throw new Error(`no role ${role}`);
        held.privs = held.privs.filter((each) => each !== plain(right));
        const trial = await attempt(site, way, right).catch((thrown: unknown) => {
          throw new Error(`without ${right} in ${role}: ${String(thrown)}`, { cause: thrown });
        });
        if (trial.isNamed || trial.warnings.length > unhindered.warnings.length)
          missedBySomebody.add(`${role} ${right}`);
        restore();
      }
    }
  },
);

test("every right that is granted is missed by some way without it [attack 22]", whole, () => {
  expect([...granted].filter((each) => !missedBySomebody.has(each))).toEqual([]);
});
