import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isNodeReady, type KubeNode } from "../../src/clients/kube/index.ts";
import { withoutStandIns } from "../support/libvirt/stand-in-image.ts";
import { standInSite, type StandInSite } from "../support/libvirt/stand-in-site.ts";
import { isFull } from "../support/whole-sweep.ts";
import { peers } from "../support/peers.ts";

/**
 * What happens to the machines of a cluster on a real daemon after its first day: they are made again, get more memory, and
 * do not start. Real are the machines, their definitions, disks and power, and the order in which they go and come, as
 * libvirt itself tells it. Etcd, Kubernetes and what drains a node are simulated (test/support/libvirt/stand-in-service.ts):
 * no pod moves here, and no database is copied to a control plane that joins again.
 */

const name = "slipway-test-daytwo";
const whyNot = [withoutStandIns, isFull ? "" : "takes minutes: SLIPWAY_FULL=1 runs it"]
  .filter(Boolean)
  .join("; ");
const controlPlanes = ["cp-1", "cp-2", "cp-3"];
const workers = ["worker-1", "worker-2"];
const nodes = [...controlPlanes, ...workers];

const lines = (memoryMiB: { controlPlanes: number; workers: number }): string =>
  `    hardware: { firmware: uefi }
    network: { cidr: 10.213.133.0/24, vip: .100, libvirt: { create: nat } }
    controlPlanes: { count: 3, cores: 1, memory: ${memoryMiB.controlPlanes}MiB, disk: 10GiB, address: .11 }
    workers: { count: 2, cores: 1, memory: ${memoryMiB.workers}MiB, disk: 10GiB, address: .21, dataDisks: [{ size: 3GiB }] }
`;

const virsh = (...args: string[]): string[] =>
  execFileSync("virsh", ["-q", "-c", "qemu:///system", ...args], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

describe.skipIf(whyNot !== "")(`day two of real machines (${whyNot || "here"})`, peers, () => {
  let site: StandInSite;

  beforeAll(async () => {
    site = await standInSite(name, lines({ controlPlanes: 2048, workers: 1024 }));
    await done("up", "--yes");
    for (const node of workers) site.standIns.write(node, "vdb", { workload: `data of ${node}` });
  }, 1_200_000);
  afterAll(() => (site as StandInSite | undefined)?.close(), 120_000);

  async function done(...args: string[]): Promise<string> {
    const { code, text } = await site.slipway(...args);
    expect(code, text).toBe(0);
    return text;
  }

  /** On a busy host an emulated node may answer later than the program is willing to wait. */
  const settles = (): Promise<void> =>
    vi.waitFor(async () => expect((await site.slipway("plan")).text).toContain("no changes"), {
      timeout: 60_000,
    });

  const nodeOf = (domain: string): string =>
    domain.startsWith(`${name}-`) ? domain.slice(name.length + 1) : "";

  /** By node, the number that libvirt gave its machine when it was started; -1 while it is off. */
  const starts = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await site.client.domains())
        .filter((domain) => nodes.includes(nodeOf(domain.name)))
        .map((domain) => [nodeOf(domain.name), domain.id]),
    );

  const readyNodes = (): string[] =>
    site.standIns.talos
      .clusters()
      .flatMap((view) => view.objects("v1", "Node") as unknown as KubeNode[])
      .filter((node) => isNodeReady(node))
      .map((node) => node.metadata.name);

  /** Nodes whose machine is up, which Kubernetes calls Ready and whose etcd, if they have one, does its work. */
  function working(): string[] {
    const [up, ready] = [site.standIns.up(), readyNodes()];
    const voters = site.standIns.talos.clusters().flatMap((view) => view.voters);
    const idle = voters.filter(({ isServing }) => !isServing);
    return nodes.filter(
      (node) => up.includes(node) && ready.includes(node) && idle.every((voter) => voter.node !== node),
    );
  }

  /** All that libvirt tells of these machines meanwhile: who went and came, and which others did not work when one went. */
  async function watched(work: () => Promise<unknown>): Promise<{ turns: string[]; away: string[] }> {
    const turns: string[] = [];
    const away: string[] = [];
    const stop = await site.client.watchDomains(({ domain, change }) => {
      const gone = nodeOf(domain.name);
      if (!nodes.includes(gone) || (change !== "stopped" && change !== "started")) return;
      turns.push(`${gone} ${change}`);
      if (change === "started") return;
      const others = working();
      away.push(
        ...nodes
          .filter((node) => node !== gone && !others.includes(node))
          .map((node) => `${node} when ${gone} went`),
      );
    });
    try {
      await work();
    } finally {
      await stop();
    }
    return { turns, away };
  }

  /** One after the other, each back before the next. */
  const inTurn = (turns: string[]): string[] => {
    const order = [...new Set(turns.map((turn) => turn.split(" ")[0] ?? ""))];
    return order.flatMap((node) => [`${node} stopped`, `${node} started`]);
  };

  const dataFile = (node: string): number =>
    statSync(path.join(site.pool, `slipway.${name}.${node}.data1.qcow2`)).ino;
  /** A new file may get the number of one that is gone. */
  const systemMadeAt = (node: string): number =>
    statSync(path.join(site.pool, `${name}-${node}.qcow2`)).birthtimeMs;

  /** As somebody does it who wants to get rid of a machine and knows nothing of Slipway. */
  async function removeByHand(node: string): Promise<void> {
    virsh("destroy", `${name}-${node}`);
    virsh("undefine", `${name}-${node}`, "--nvram");
    // Kubernetes has to miss it: until then another one of its name may still live.
    await vi.waitUntil(() => !readyNodes().includes(node), 180_000);
  }

  /** Made again, with all else on the host as it was before, and no other machine started anew. */
  async function replaced(node: string, before: { listing: string[]; starts: Record<string, number> }) {
    const reports = site.standIns.reports.length;
    const text = await done("replace", `${name}/${node}`, "--yes");
    await settles();
    const { [node]: now, ...others } = await starts();
    const { [node]: old, ...othersBefore } = before.starts;
    expect(now).toBeGreaterThan(old ?? -1);
    expect(others).toEqual(othersBefore);
    const ours = virsh("list", "--all", "--name").filter((each) => each.startsWith(name));
    expect(ours.toSorted()).toEqual(nodes.map((each) => `${name}-${each}`));
    expect((await site.listing()).toSorted()).toEqual(before.listing);
    await vi.waitUntil(() => working().length === nodes.length, 120_000);
    const [report] = site.standIns.reports.slice(reports);
    expect(report).toMatchObject({ hostname: node });
    // What it boots from is blank: nothing of the old system is there.
    expect(report?.disks[0]).toMatchObject({ serial: "system" });
    expect(report?.disks[0]).not.toHaveProperty("content");
    return { text, report };
  }

  const now = async () => ({ listing: (await site.listing()).toSorted(), starts: await starts() });

  test("a worker that lives is made again, and its data disk is the one it had", async () => {
    await settles();
    const before = await now();
    const [data, system] = [dataFile("worker-1"), systemMadeAt("worker-1")];
    const { text, report } = await replaced("worker-1", before);
    expect(text).toMatch(/keeps +data disk/);
    expect(dataFile("worker-1")).toEqual(data);
    expect(systemMadeAt("worker-1")).toBeGreaterThan(system);
    expect(report?.disks[1]).toMatchObject({
      serial: "data-1",
      content: { workload: "data of worker-1" },
    });
  });

  test("so is one whose machine was destroyed and undefined behind Slipway's back", async () => {
    const before = await now();
    const [data, system] = [dataFile("worker-2"), systemMadeAt("worker-2")];
    await removeByHand("worker-2");
    const { text, report } = await replaced("worker-2", before);
    expect(text).toContain("worker-2 gets a new system disk");
    expect(dataFile("worker-2")).toEqual(data);
    expect(systemMadeAt("worker-2")).toBeGreaterThan(system);
    expect(report?.disks[1]).toMatchObject({
      serial: "data-1",
      content: { workload: "data of worker-2" },
    });
  });

  test("a control plane that was lost so leaves etcd, and votes again with a new disk", async () => {
    const before = await now();
    await removeByHand("cp-2");
    const refused = await site.slipway("up", "--yes");
    expect([refused.code, refused.text]).toEqual([2, expect.stringContaining("RUN_NODE_MAY_LIVE")]);
    await replaced("cp-2", before);
    const [cluster] = site.standIns.talos.clusters();
    expect(cluster?.voters.map(({ node }) => node).toSorted()).toEqual(controlPlanes);
    expect(site.standIns.talos.bootstraps()).toEqual({ [name]: 1 });
  });

  test("more memory goes to one machine at a time, the next while all others work", async () => {
    site.write(lines({ controlPlanes: 2560, workers: 1280 }));
    const reports = site.standIns.reports.length;
    const { turns, away } = await watched(() => done("up", "--yes"));
    expect(turns).toEqual(inTurn(turns));
    expect(turns.toSorted()).toEqual(nodes.flatMap((node) => [`${node} started`, `${node} stopped`]));
    expect(away).toEqual([]);
    for (const node of nodes) {
      const memoryMiB = controlPlanes.includes(node) ? 2560 : 1280;
      for (const which of ["defined", "running"] as const) {
        const xml = await site.client.domainXml(await site.domain(node), which);
        expect(xml).toContain(`<memory unit='KiB'>${memoryMiB * 1024}</memory>`);
      }
      // The guest counts a little less: its kernel has some of it.
      const report = site.standIns.reports.slice(reports).find(({ hostname }) => hostname === node);
      expect(report?.memoryMiB).toBeGreaterThan(memoryMiB - 200);
    }
    await settles();
    expect(working()).toEqual(nodes);
  });

  test("where one does not start again the others are left running, and the next up goes on", async () => {
    // Nothing can be written where it would write what it says: the host does not start it.
    const logs = workers.map((node) => path.join(site.pool, `${name}-${node}-console.log`));
    for (const log of logs) {
      rmSync(log);
      mkdirSync(log);
    }
    site.write(lines({ controlPlanes: 2560, workers: 1536 }));
    const before = await starts();
    let failed: Awaited<ReturnType<StandInSite["slipway"]>> | undefined;
    const { turns } = await watched(async () => (failed = await site.slipway("up", "--yes")));
    expect(failed?.code, failed?.text).toBe(1);
    const after = await starts();
    const [lost = "nobody", ...more] = nodes.filter((node) => after[node] === -1);
    expect([workers.includes(lost), more]).toEqual([true, []]);
    expect(turns[0]).toBe(`${lost} stopped`);
    expect(turns.filter((turn) => !turn.startsWith(lost))).toEqual([]);
    expect(failed?.text).toContain(`${lost} stays off`);
    // None of the others was touched: each is the machine that was started before.
    expect(after).toEqual({ ...before, [lost]: -1 });
    // Nor is it when somebody tries again before the cause is gone.
    const tried = await watched(async () => (failed = await site.slipway("up", "--yes")));
    expect(failed?.code, failed?.text).toBe(1);
    expect(tried.turns.filter((turn) => !turn.startsWith(lost))).toEqual([]);
    expect(await starts()).toEqual(after);
    for (const log of logs) rmSync(log, { recursive: true });

    const again = await watched(() => done("up", "--yes"));
    const other = workers.find((node) => node !== lost) ?? "";
    expect(again.turns).toEqual([`${lost} started`, `${other} stopped`, `${other} started`]);
    expect(again.away).toEqual([]);
    for (const node of workers) {
      const xml = await site.client.domainXml(await site.domain(node), "running");
      expect(xml).toContain(`<memory unit='KiB'>${1536 * 1024}</memory>`);
    }
    await settles();
    expect(working()).toEqual(nodes);
  });

  test("down leaves nothing", async () => {
    expect(site.standIns.talos.failures()).toEqual([]);
    await done("down", "--yes", "--with-data");
    expect(await site.listing()).toEqual([]);
  });
});
