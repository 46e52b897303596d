import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { dialDirect } from "../../src/lib/index.ts";
import { findKubectl, runProgram } from "../support/kube/kubectl.ts";
import { withoutStandIns } from "../support/libvirt/stand-in-image.ts";
import { standInSite, type StandInSite } from "../support/libvirt/stand-in-site.ts";
import { isFull } from "../support/whole-sweep.ts";
import { peers } from "../support/peers.ts";

/**
 * The whole way to a cluster on a real daemon: the program makes real machines, which boot from its image, read its seed
 * with Talos' own code and answer at its addresses. The system on them is simulated: test/support/libvirt/stand-in-service.ts
 * says what is real and what is not.
 */

const GiB = 2 ** 30;
const whyNot = [withoutStandIns, isFull ? "" : "takes minutes: SLIPWAY_FULL=1 runs it"]
  .filter(Boolean)
  .join("; ");

/** On a busy host an emulated node may answer later than the program is willing to wait. */
const saysSoon = (site: StandInSite, args: string[], text: RegExp): Promise<void> =>
  vi.waitFor(async () => expect((await site.slipway(...args)).text).toMatch(text), { timeout: 60_000 });

describe.skipIf(whyNot !== "")(`a cluster on real machines (${whyNot || "here"})`, peers, () => {
  let site: StandInSite;

  beforeAll(async () => {
    site = await standInSite(
      "slipway-test-talos",
      `    network: { cidr: 10.213.131.0/24, libvirt: { create: nat } }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 10GiB, address: .11 }
    workers: { count: 1, cores: 1, memory: 1GiB, disk: 10GiB, address: .21, dataDisks: [{ size: 3GiB }] }
`,
    );
  }, 900_000);
  afterAll(() => (site as StandInSite | undefined)?.close(), 120_000);

  test("up makes a healthy cluster of machines that are what the file says", async () => {
    const up = await site.slipway("up", "--yes");
    expect(up.code, up.text).toBe(0);
    expect(up.text).toContain("slipway-test-talos is up");
    expect(site.standIns.talos.failures()).toEqual([]);
    expect(site.standIns.talos.bootstraps()).toEqual({ "slipway-test-talos": 1 });
    const byName = site.standIns.reports.toSorted((a, b) => a.hostname.localeCompare(b.hostname));
    expect(byName).toMatchObject([
      {
        hostname: "cp-1",
        cores: 2,
        addresses: [{ cidr: "10.213.131.11/24", gateway: "10.213.131.1" }],
        nameservers: ["10.213.131.1"],
        disks: [{ name: "vda", sizeBytes: 10 * GiB, serial: "system" }],
      },
      {
        hostname: "worker-1",
        cores: 1,
        addresses: [{ cidr: "10.213.131.21/24", gateway: "10.213.131.1" }],
        disks: [
          { name: "vda", sizeBytes: 10 * GiB, serial: "system" },
          { name: "vdb", sizeBytes: 3 * GiB, serial: "data-1" },
        ],
      },
    ]);
    for (const { hostname, uuid, cards, addresses, seed } of byName) {
      const xml = await site.client.domainXml(await site.domain(hostname), "running");
      expect(xml).toContain(`<uuid>${uuid}</uuid>`);
      expect(cards).toEqual(addresses.map(({ mac }) => mac));
      expect(xml).toContain(`<mac address='${cards[0]}'/>`);
      expect(seed["user-data"]).toBe("#cloud-config\n");
    }
  });

  test("nothing is left to do, and its state is told as it is", async () => {
    await saysSoon(site, ["plan"], /no changes/);
    await saysSoon(site, ["up", "--yes"], /no changes/);
    await saysSoon(site, ["status"], /slipway-test-talos +Ready +2 of 2/);
    expect(site.standIns.reports.map(({ hostname }) => hostname).toSorted()).toEqual(["cp-1", "worker-1"]);
  });

  test("kubectl reads its nodes through the machine", async ({ skip }) => {
    const kubectl = findKubectl() ?? skip();
    const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-kubeconfig-"));
    writeFileSync(path.join(folder, "config"), (await site.slipway("kubeconfig")).stdout);
    const args = ["--kubeconfig", path.join(folder, "config"), "get", "nodes", "-o", "wide"];
    const { stdout, stderr } = await runProgram(kubectl, args, { env: { HOME: folder } });
    rmSync(folder, { recursive: true });
    expect(stdout, stderr).toMatch(/cp-1 +Ready .* 10\.213\.131\.11 /);
    expect(stdout).toMatch(/worker-1 +Ready .* 10\.213\.131\.21 /);
  });

  test("a machine that is shut down is missed, and up brings it back as the node it was", async () => {
    const worker = await site.domain("worker-1");
    await site.client.shutdownDomain(worker);
    // Its power button is heard, the node leaves, and the machine switches itself off.
    await vi.waitUntil(async () => (await site.client.domainInfo(worker)).state === "off", 90_000);
    await vi.waitUntil(() => site.standIns.up().join() === "cp-1", 60_000);
    await saysSoon(site, ["status"], /slipway-test-talos +(?!Ready)\w+ +1 of 2/);
    const up = await site.slipway("up", "--yes");
    expect(up.code, up.text).toBe(0);
    expect(site.standIns.reports).toHaveLength(3);
    // Its config was on its disk: it came back without being given one.
    expect(site.standIns.reports[2]?.disks[0]?.content).toMatchObject({ talos: { isInstalled: true } });
    expect(site.standIns.talos.bootstraps()).toEqual({ "slipway-test-talos": 1 });
    await saysSoon(site, ["status"], /slipway-test-talos +Ready +2 of 2/);
  });

  test("down leaves nothing", async () => {
    const down = await site.slipway("down", "--yes", "--with-data");
    expect(down.code, down.text).toBe(0);
    expect(await site.listing()).toEqual([]);
  });
});

describe.skipIf(whyNot !== "")(`three control planes with UEFI (${whyNot || "here"})`, peers, () => {
  let site: StandInSite;

  beforeAll(async () => {
    site = await standInSite(
      "slipway-test-ha",
      `    hardware: { firmware: uefi }
    network: { cidr: 10.213.132.0/24, vip: .100, libvirt: { create: nat } }
    controlPlanes: { count: 3, cores: 1, memory: 2GiB, disk: 10GiB, address: .11 }
`,
    );
  }, 900_000);
  afterAll(() => (site as StandInSite | undefined)?.close(), 120_000);

  /** Which machine answers for the shared address, as the neighbours see it. */
  const holder = (): string | undefined => {
    const [, mac] =
      /lladdr (\S+)/.exec(execFileSync("ip", ["neigh", "show", vip], { encoding: "utf8" })) ?? [];
    return site.standIns.reports.find(({ cards }) => cards[0] === mac)?.hostname;
  };
  const vip = "10.213.132.100";

  test("one address leads to them, also when the machine that holds it is gone", async () => {
    const up = await site.slipway("up", "--yes");
    expect(up.code, up.text).toBe(0);
    expect(site.standIns.reports.map(({ isUefi }) => isUefi)).toEqual([true, true, true]);
    await saysSoon(site, ["plan"], /no changes/);
    expect((await site.slipway("kubeconfig")).stdout).toContain(`https://${vip}:6443`);

    const first = holder() ?? "nobody";
    expect(site.standIns.up()).toContain(first);
    await site.client.destroyDomain(await site.domain(first));
    const others = site.standIns.up().filter((each) => each !== first);
    // The neighbours find out with the next word they want to say.
    const movedOn = async (): Promise<boolean> => {
      const answers = await dialDirect({ host: vip, port: 6443 }, AbortSignal.timeout(2000)).then(
        (socket) => Boolean(socket.destroy()),
        () => false,
      );
      return answers && others.includes(holder() ?? "");
    };
    await vi.waitUntil(movedOn, { timeout: 90_000, interval: 500 });

    const again = await site.slipway("up", "--yes");
    expect(again.code, again.text).toBe(0);
    await saysSoon(site, ["status"], /slipway-test-ha +Ready +3 of 3/);
    expect(site.standIns.talos.bootstraps()).toEqual({ "slipway-test-ha": 1 });

    const down = await site.slipway("down", "--yes");
    expect(down.code, down.text).toBe(0);
    expect(await site.listing()).toEqual([]);
  });
});
