import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readMachine } from "../../src/providers/libvirt/index.ts";
import { libvirtLife, type LibvirtLife } from "../support/libvirt/life.ts";
import { libvirtSocket, withoutLibvirt } from "../support/libvirt/libvirtd.ts";
import { hasProgram, peers } from "../support/peers.ts";

const prefix = "slipway-test-pains";
const hasVirsh = hasProgram("virsh", "--version");

/** What people suffer from on libvirt, each with the issue it was seen in, on a real daemon. */
describe.skipIf(libvirtSocket === undefined)(`on a real daemon (${withoutLibvirt})`, peers, () => {
  let lab: LibvirtLife;
  beforeAll(async () => {
    lab = await libvirtLife(prefix, "10.213.96.0/24");
    expect((await lab.up(lab.cluster([{}]))).failed).toEqual([]);
  });
  afterAll(() => lab.close());

  const machine = async (which: "defined" | "running" = "running") =>
    readMachine(await lab.client.domainXml(await lab.client.findDomain(`${prefix}-cp-1`), which));

  test("pain-17-an-address-is-not-waited-for: it stands in the seed, and nobody asks for leases (tf-libvirt#1091, #1047)", async () => {
    const [seed = ""] = readdirSync(lab.folder).filter((name) => /-seed-.*\.iso$/.test(name));
    const text = readFileSync(path.join(lab.folder, seed), "latin1");
    expect(text).toContain("10.213.96.11/24");
    expect(text).not.toMatch(/dhcp4: true/);
    expect(await lab.client.networkXml(await lab.client.findNetwork(prefix))).not.toContain("<dhcp>");
    expect(lab.calls).toContain("startDomain");
    expect(lab.calls.filter((call) => /lease|address/i.test(call))).toEqual([]);
  });

  test("pain-15-the-security-driver-stays-on: disks lie where it lets QEMU, and are QEMU's while it runs (tf-libvirt#1163, #546)", async () => {
    const domain = await lab.client.findDomain(`${prefix}-cp-1`);
    for (const which of ["defined", "running"] as const)
      expect(await lab.client.domainXml(domain, which)).not.toMatch(/<seclabel[^>]*type='none'/);
    const [, uid] = /\+(\d+):\+\d+<\/baselabel>/.exec(await lab.client.capabilities()) ?? [];
    expect(await lab.client.domainXml(domain, "running")).toMatch(
      new RegExp(`<seclabel type='dynamic' model='dac' relabel='yes'>\\s*<label>\\+${uid}:`),
    );
    const [system] = (await machine()).disks;
    // The helper of AppArmor reads plain paths out of a definition; a volume by name it cannot follow.
    expect(system?.source).toEqual({ kind: "file", path: `${lab.folder}/${prefix}-cp-1.qcow2` });
    expect(statSync(`${lab.folder}/${prefix}-cp-1.qcow2`).uid).toBe(Number(uid));
  });

  test("pain-15-a-pool-that-qemu-may-not-enter: it is named before a run, and by a run that goes on (tf-libvirt#1024, #126, #97)", async () => {
    const wanted = lab.cluster([{}, {}]);
    const codes = async () =>
      (await lab.preflight(wanted)).flatMap(({ error }) => (error ? [[error.code, error.next]] : []));
    expect(await codes()).toEqual([]);
    chmodSync(lab.folder, 0o700);
    expect(await codes()).toEqual([["LIBVIRT_FOLDER_CLOSED", expect.stringContaining("/var/lib/libvirt")]]);
    expect((await lab.up(wanted)).failed).toMatchObject([
      {
        error: {
          code: "LIBVIRT_MACHINE_DENIED",
          why: expect.stringContaining(`${lab.folder}/${prefix}-cp-2`) as string,
          next: expect.stringContaining("AppArmor") as string,
        },
      },
    ]);
    chmodSync(lab.folder, 0o711);
    expect((await lab.up(wanted)).failed).toEqual([]);
    expect((await lab.down(wanted, { node: "cp-2" })).failed).toEqual([]);
  });

  test("pain-16-a-change-is-no-rebuild: MAC and UUID stay, a disk comes while it runs, and a stop is asked for first (tf-libvirt#1069, #751, #995)", async () => {
    const who = async () => {
      const { uuid, nics } = await machine();
      return [uuid, ...nics.map(({ mac }) => mac)];
    };
    const before = await who();
    const dataDisks = [{ sizeGiB: 1 }];
    let from = lab.calls.length;
    expect((await lab.up(lab.cluster([{ dataDisks }]))).failed).toEqual([]);
    const power = () =>
      lab.calls.slice(from).filter((call) => /^(shutdown|destroy|start|undefine)Domain/.test(call));
    expect(power()).toEqual([]);
    from = lab.calls.length;
    expect((await lab.up(lab.cluster([{ dataDisks, memoryMiB: 48 }]))).failed).toEqual([]);
    // There is no system on it that could shut down; after its time the plug is pulled.
    expect(power()).toEqual(["shutdownDomain", "destroyDomain", "startDomain"]);
    expect(await machine()).toMatchObject({ memoryMiB: 48 });
    expect(await who()).toEqual(before);
    expect((await machine("defined")).disks.map(({ serial }) => serial)).toEqual(["system", "data-1"]);
  });

  test.skipIf(!hasVirsh)(
    "pain-18-the-client-is-our-own: it sees what libvirt's own program of the same version sees (tf-libvirt#751)",
    async () => {
      const virsh = (...args: string[]) =>
        execFileSync("virsh", ["-q", "-c", "qemu:///system", ...args], { encoding: "utf8" });
      const { libvirt, hypervisor } = await lab.client.versions();
      expect(virsh("version", "--daemon")).toMatch(new RegExp(`libvirt ${libvirt}\\b`));
      expect(virsh("version")).toContain(`QEMU ${hypervisor}`);
      const domain = await lab.client.findDomain(`${prefix}-cp-1`);
      const plain = (text: string) => text.trim();
      expect(plain(await lab.client.domainXml(domain, "running"))).toBe(plain(virsh("dumpxml", domain.name)));
      expect(plain(await lab.client.domainXml(domain, "defined"))).toBe(
        plain(virsh("dumpxml", "--inactive", domain.name)),
      );
      const volumes = (await lab.client.volumes(await lab.client.findPool(prefix))).map(({ name }) => name);
      const listed = virsh("vol-list", prefix).trim().split("\n");
      expect(volumes.toSorted()).toEqual(listed.map((line) => line.trim().replace(/\s.*/, "")).toSorted());
      const found = await lab.preflight(lab.cluster([{}]));
      expect(found).toContainEqual({
        status: "ok",
        needed: "libvirt 6.0.0, QEMU 4.2.0",
        found: `libvirt ${libvirt}, QEMU ${hypervisor}`,
      });
    },
  );
});
