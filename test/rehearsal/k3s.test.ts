import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { upgradeChoices } from "../../src/operations/index.ts";
import { assemble } from "../../src/operations/planning/assemble.ts";
import { connectKube, type KubeClient, type KubeNode } from "../../src/clients/kube/index.ts";
import type { Fault } from "../../src/sim/index.ts";
import type { LinuxHost } from "../../src/sim/linux/index.ts";
import { verifySite } from "../support/screens/verify-lab.ts";
import { isFull, whole } from "../support/whole-sweep.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/** One K3s cluster through its life: each test changes the file, or the machines, and looks at what follows. SLIPWAY_FULL=1 takes all of it. */

const old = "1.35.7+k3s1";
const current = "1.36.3+k3s1";

const file = (
  changes: { version?: string; k3s?: string; workers?: string; controlPlanes?: string } = {},
) => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.16.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  edge:
    k3s: { version: ${changes.version ?? old}, user: debian, disable: [traefik]${changes.k3s ?? ""} }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.16.0.0/24, gateway: .254, vip: .9, hosts: { rancher.lab: .50 } }
    controlPlanes: { ${changes.controlPlanes ?? "count: 3"}, address: .10, vmid: 2000 }
    workers: { ${changes.workers ?? "count: 2"}, address: .20, vmid: 3000 }
    addons: [cilium]
`;

/** During the upgrade: on cp-2 the program cannot be put into place, on cp-3 nobody hears that it was. */
const putInPlace = "mv -f /usr/local/bin/.k3s-1.36.3+k3s1 /usr/local/bin/k3s";
const faults: Fault[] = [
  { call: `linux *cp-2 ${putInPlace}`, kind: "error" },
  { call: `linux *cp-3 ${putInPlace}`, kind: "lost-reply" },
];

let site: RehearsalSite;

beforeAll(async () => {
  site = await rehearsalSite(fleetOf(file()), { faults });
  await up(file());
});

afterAll(() => site[Symbol.asyncDispose]());

async function up(text: string): Promise<void> {
  const { runReport, events } = await site.up(fleetOf(text));
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
}

const changesOf = async (text: string) =>
  (await site.plan(fleetOf(text))).changes.map(({ consequence, node, fields }) =>
    [consequence, node.id, ...fields.map(({ field, from, to }) => `${field}: ${from} → ${to}`)].join(" "),
  );

function hostNamed(name: string): LinuxHost {
  const host = [...site.rehearsal.datacenter.linux.hosts().values()].find(
    (each) => each.disk.hostname === name,
  );
  if (!host) throw new Error(`no host ${name}`);
  return host;
}

const textOn = (node: string, place: string): string | undefined =>
  hostNamed(node).view.files.read(place)?.toString("utf8");

async function kube(): Promise<KubeClient> {
  const world = site.rehearsal.world(new AbortController().signal, () => undefined);
  const fleet = fleetOf(file());
  const [cluster] = fleet.clusters;
  const text = cluster && (await assemble(world, fleet).distribution.kubeconfig(cluster));
  const key = /client-key-data: *(\S+)/.exec(text ?? "")?.[1] ?? "";
  expect(world.redaction.redact(`a log with ${key}`)).not.toContain(key);
  return connectKube({ clock: world.clock, kubeconfig: text ?? "", dial: world.dialFor("edge") });
}

const nodes = async (): Promise<Map<string, KubeNode>> =>
  new Map((await (await kube()).nodes()).map((node) => [node.metadata.name, node]));

/** What was called on the hosts since then. */
const commandsSince = (from: number): string[] =>
  site.rehearsal.datacenter.faults.seen.slice(from).filter((call) => call.startsWith("linux "));
const callCount = (): number => site.rehearsal.datacenter.faults.seen.length;
const restartsIn = (calls: string[]): string[] =>
  calls.filter((call) => call.includes("systemctl restart")).map((call) => call.split(" ")[1] ?? "");

const membership = "/etc/rancher/k3s/config.yaml.d/10-membership.yaml";

test("a cluster of three servers, a VIP and Cilium comes up, and a second up has nothing to do", async () => {
  expect([...(await nodes()).keys()].toSorted()).toEqual(["cp-1", "cp-2", "cp-3", "worker-1", "worker-2"]);
  expect(await changesOf(file())).toEqual([]);
  expect((await site.up(fleetOf(file()))).runReport.outcome).toBe("unchanged");
});

test("verify looks at the agents of Cilium, since K3s connects no pods itself here", async () => {
  const { events } = await verifySite(site, fleetOf(file()), { isQuick: true });
  const check = events.find((event) => event.type === "check" && event.id === "cni-ready");
  expect(check).toMatchObject({ status: "ok", found: expect.stringContaining("cilium") as unknown });
});

test("the first server no longer says that it founds, and only it was given the authorities", () => {
  expect(textOn("cp-1", membership)).toBe("server: https://10.16.0.9:6443\n");
  expect(textOn("cp-2", membership)).toBe("server: https://10.16.0.10:6443\n");
  expect(textOn("worker-1", membership)).toBe("server: https://10.16.0.9:6443\n");
  expect(textOn("cp-1", "/var/lib/rancher/k3s/server/manifests/kube-vip.yaml")).toContain("10.16.0.9");
  expect(textOn("cp-2", "/var/lib/rancher/k3s/server/manifests/kube-vip.yaml")).toBeUndefined();
});

test("no secret is an argument of a command, and agents do not hold the token of servers", async () => {
  const secrets = await readFile(path.join(site.folder, "edge/k3s-secrets.yaml"), "utf8");
  const found = [...secrets.matchAll(/\b[0-9a-f]{64}\b/g)].map(([secret]) => secret);
  expect(found).toHaveLength(2);
  const [serverSecret = "", agentSecret = ""] = found;
  const calls = commandsSince(0).join("\n");
  expect(calls).toContain("install -D -m 0600 /dev/stdin /etc/rancher/k3s/config.yaml");
  for (const secret of found) expect(calls).not.toContain(secret);
  expect(textOn("cp-1", "/etc/rancher/k3s/config.yaml")).toContain(`server:${serverSecret}`);
  const agent = textOn("worker-1", "/etc/rancher/k3s/config.yaml") ?? "";
  expect(agent).toContain(`node:${agentSecret}`);
  expect(agent).not.toContain(serverSecret);
});

test.skipIf(!isFull)(
  "a changed setting of servers restarts servers, one after another, and no agent",
  { ...whole, timeout: 600_000 },
  async () => {
    const changed = file({ k3s: ", snapshots: { keep: 9 }" });
    const field = "etcd-snapshot-retention: none → 9";
    expect(await changesOf(changed)).toEqual(
      ["cp-1", "cp-2", "cp-3"].map((node) => `roll edge/node/${node} ${field}`),
    );
    const before = callCount();
    await up(changed);
    expect(restartsIn(commandsSince(before))).toEqual(["cp-1", "cp-2", "cp-3"]);
    expect(await changesOf(changed)).toEqual([]);
  },
);

test.skipIf(!isFull)(
  "labels and taints of nodes that are there change without a restart",
  { ...whole, timeout: 600_000 },
  async () => {
    const labelled = file({
      ...{ k3s: ", snapshots: { keep: 9 }" },
      workers: "count: 2, labels: { disk: ssd }, taints: { gpu: 'yes:NoSchedule' }",
    });
    const changes = await changesOf(labelled);
    expect(changes).toHaveLength(3);
    expect(changes.every((change) => change.startsWith("hot "))).toBe(true);
    const before = callCount();
    await up(labelled);
    expect(restartsIn(commandsSince(before))).toEqual([]);
    const worker = (await nodes()).get("worker-1");
    expect(worker?.metadata.labels?.["disk"]).toBe("ssd");
    expect(worker?.spec?.taints).toContainEqual({ key: "gpu", value: "yes", effect: "NoSchedule" });
    expect(await changesOf(labelled)).toEqual([]);
  },
);

test("going back and leaving out a minor version are refused before anything is touched", async () => {
  const refusal = async (version: string) =>
    site.plan(fleetOf(file({ version }))).catch((error: unknown) => (error as { code: string }).code);
  expect(await refusal("1.34.10+k3s1")).toBe("K3S_DOWNGRADE");
  expect(await refusal("1.37.1+k3s1")).toBe("K3S_MINOR_SKIPPED");
});

test("slipway upgrade names the K3s that may follow on what runs, and no version of another distribution", async () => {
  const world = site.rehearsal.world(new AbortController().signal, () => {});
  const choose = (asked: Record<string, string>) =>
    upgradeChoices({ fleet: fleetOf(file()), selection: {}, asked }, world);
  const [chosen] = await choose({});
  expect(chosen?.versions).toMatchObject([
    { name: "k3s", running: old, wanted: old, target: current, path: ["k3s", "version"] },
  ]);
  await expect(choose({ talos: "1.13.9" })).rejects.toMatchObject({ code: "RUN_NOT_ITS_VERSION" });
});

test("pain-33-a-retry-that-upgrades-again: an upgrade that is cut short goes on where it was, finished nodes are not touched (hk3s#769, hcloud-k8s#183)", async () => {
  const upgraded = file({ version: current });
  const cut = await site.up(fleetOf(upgraded));
  expect(cut.runReport.outcome).toBe("failed");
  expect(textOn("cp-2", "/etc/rancher/k3s/.slipway-restart")).toBe("");
  const versions = async () =>
    [...(await nodes()).values()].map(({ status }) => status?.nodeInfo?.kubeletVersion);
  expect(new Set(await versions())).toEqual(new Set([`v${old}`, `v${current}`]));
  const before = callCount();
  await up(upgraded);
  expect(restartsIn(commandsSince(before)).toSorted()).toEqual(["cp-2", "cp-3", "worker-1", "worker-2"]);
  expect(new Set(await versions())).toEqual(new Set([`v${current}`]));
  expect((await nodes()).get("worker-1")?.metadata.labels?.["disk"]).toBeUndefined();
  expect(textOn("cp-2", "/etc/rancher/k3s/.slipway-restart")).toBeUndefined();
  expect(await changesOf(upgraded)).toEqual([]);
});

test("pain-35-a-second-cluster-over-the-first: the first server made anew joins the cluster it founded (hk3s#311)", async () => {
  const text = file({ version: current });
  const uid = async () =>
    (await (await kube()).get({ apiVersion: "v1", kind: "Namespace", name: "kube-system" }))?.metadata.uid;
  const before = { cluster: await uid(), node: (await nodes()).get("cp-1")?.metadata.uid };
  const attachment = { apiVersion: "storage.k8s.io/v1", kind: "VolumeAttachment" };
  await (
    await kube()
  ).create({
    ...attachment,
    metadata: { name: "pvc-1" },
    spec: { attacher: "driver.longhorn.io", nodeName: "cp-1", source: { persistentVolumeName: "pvc-1" } },
  });
  await site.removeByHand(2000);
  await up(text);
  expect((await (await kube()).list(attachment)).items).toEqual([]);
  expect(await uid()).toBe(before.cluster);
  expect((await nodes()).get("cp-1")?.metadata.uid).not.toBe(before.node);
  expect(textOn("cp-1", "/var/lib/rancher/k3s/server/tls/server-ca.key")).toBe(
    textOn("cp-2", "/var/lib/rancher/k3s/server/tls/server-ca.key"),
  );
  expect(textOn("cp-1", membership)).toBe("server: https://10.16.0.9:6443\n");
  expect(await changesOf(text)).toEqual([]);
});

test.skipIf(!isFull)(
  "pain-34-members-left-behind: an agent and two servers leave in order, etcd and Kubernetes forget them before their machines go (k3s-io/k3s#3513)",
  { ...whole, timeout: 600_000 },
  async () => {
    const smaller = file({ version: current, workers: "count: 1", controlPlanes: "count: 1" });
    const plan = await site.plan(fleetOf(smaller));
    const machine = plan.changes.find(({ node }) => node.id === "edge/machine/cp-3");
    expect(machine?.node.after).toContain("edge/leaving/cp-3");
    expect(plan.changes.find(({ node }) => node.id === "edge/leaving/cp-3")?.node.after).toHaveLength(1);
    await up(smaller);
    expect([...(await nodes()).keys()].toSorted()).toEqual(["cp-1", "worker-1"]);
    expect(site.machines()).toEqual([2000, 3000]);
    expect(await changesOf(smaller)).toEqual([]);
  },
);

test("down leaves nothing", async () => {
  const { runReport } = await site.down(fleetOf(file({ version: current })));
  expect(runReport.outcome).toBe("done");
  expect(site.machines()).toEqual([]);
});
