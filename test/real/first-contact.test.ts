import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startFalseNode } from "../support/talos/fake-node.ts";
import { withoutStandIns } from "../support/libvirt/stand-in-image.ts";
import { standInSite, type StandInSite } from "../support/libvirt/stand-in-site.ts";
import { isFull } from "../support/whole-sweep.ts";
import { peers } from "../support/peers.ts";

/**
 * First contact with a node on a real machine of a real daemon: its console is libvirt's own stream, its reset is QEMU's.
 * What it prints comes from the simulated Talos behind it (test/support/libvirt/stand-in-service.ts).
 */

const whyNot = [withoutStandIns, isFull ? "" : "takes minutes: SLIPWAY_FULL=1 runs it"]
  .filter(Boolean)
  .join("; ");

const address = "10.213.133.11";

/** What this host sends to the node's port goes to the false one instead; the node itself notices nothing. */
function redirect(to: number): () => void {
  const rule = ["OUTPUT", "-t", "nat", "-p", "tcp", "-d", address, "--dport", "50000"];
  const change = (how: "-A" | "-D"): void =>
    void execFileSync("iptables", ["-w", how, ...rule, "-j", "REDIRECT", "--to-ports", String(to)]);
  change("-A");
  return () => change("-D");
}

describe.skipIf(whyNot !== "")(`first contact on a real machine (${whyNot || "here"})`, peers, () => {
  let site: StandInSite;

  beforeAll(async () => {
    site = await standInSite(
      "slipway-test-contact",
      `    network: { cidr: 10.213.133.0/24, libvirt: { create: nat } }
    controlPlanes: { count: 1, cores: 1, memory: 2GiB, disk: 10GiB, address: .11 }
`,
    );
  }, 900_000);
  afterAll(() => (site as StandInSite | undefined)?.close(), 120_000);

  test("a fake node that answers first gets nothing; the true one is reset, heard and given its config [attack 3]", async () => {
    await using fake = await startFalseNode();
    const up = site.slipway("up", "--yes", "--until", "distro");
    await vi.waitUntil(
      async () => (await site.client.domains()).some(({ name, id }) => name.endsWith("-cp-1") && id >= 0),
      { timeout: 120_000, interval: 100 },
    );
    const giveBack = redirect(fake.port);
    const first = await up.finally(giveBack);
    expect(first.code, first.text).toBe(1);
    expect(first.text).toContain("TALOS_FALSE_NODE");
    expect(fake.looks).toBeGreaterThan(0);
    expect(fake.bytes).toBe(0);
    const [report] = site.standIns.reports;
    expect(report?.hostname).toBe("cp-1");

    const again = await site.slipway("up", "--yes", "--until", "distro");
    expect(again.code, again.text).toBe(0);
    expect(again.text).toContain("is reset to print it again");
    // The same machine, started twice.
    expect(site.standIns.reports.map(({ uuid }) => uuid)).toEqual([report?.uuid, report?.uuid]);
  }, 600_000);
});

describe.skipIf(whyNot !== "")(
  `a config on the seed drive of a real machine (${whyNot || "here"})`,
  peers,
  () => {
    let site: StandInSite;

    beforeAll(async () => {
      site = await standInSite(
        "slipway-test-seeded",
        `    talos: { firstContact: seed }
    network: { cidr: 10.213.134.0/24, libvirt: { create: nat } }
    controlPlanes: { count: 1, cores: 1, memory: 2GiB, disk: 10GiB, address: .11 }
`,
      );
    }, 900_000);
    afterAll(() => (site as StandInSite | undefined)?.close(), 120_000);

    test("the node finds its config there, and no key stays on the host [attack 3]", async () => {
      const up = await site.slipway("up", "--yes");
      expect(up.code, up.text).toBe(0);
      const [report] = site.standIns.reports;
      expect(report?.seed["user-data"]).toContain("machine:");
      const files = await site.listing();
      expect(files.filter((each) => each.endsWith("-seed-config.iso"))).toEqual([]);
      expect(files.filter((each) => /-cp-1-seed-[0-9a-f]{12}\.iso$/.test(each))).toHaveLength(1);
      const xml = await site.client.domainXml(await site.domain("cp-1"), "defined");
      expect(xml).not.toContain("seed-config.iso");
      await vi.waitFor(async () => expect((await site.slipway("plan")).text).toContain("no changes"), {
        timeout: 120_000,
      });
    }, 600_000);
  },
);
