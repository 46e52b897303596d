import { execFileSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../../../test/support/libvirt/libvirtd.ts";
import { machineVariants, otherVariants, plainMachine } from "../../../test/support/libvirt/machines.ts";
import { networkVariants } from "../../../test/support/libvirt/networks.ts";
import { canValidateXml, schemaComplaints } from "../../../test/support/libvirt/xml-validate.ts";
import { openLibvirt, type LibvirtClient, type Pool } from "../../clients/libvirt/index.ts";
import { allAt, firstAt, readXml } from "../../lib/index.ts";
import { readHostCapabilities, readMachineCapabilities } from "./survey/capabilities.ts";
import { nicXml, type MachineNic } from "./machine/nics.ts";
import { diskXml, driveXml, freeTarget, type MachineDisk } from "./disks/machine-disks.ts";
import { machineXml, type MachineXml } from "./machine/machine-xml.ts";
import { networkXml, readNetwork } from "./network/network-xml.ts";
import { poolXml, readPool } from "./pool/pool-xml.ts";
import { readMachine } from "./machine/read-machine.ts";
import { readVolume, volumeXml } from "./pool/volume-xml.ts";
import { peers } from "../../../test/support/peers.ts";

const prefix = "slipway-xml";
const folder = `/var/lib/libvirt/${prefix}`;

/** What we write, taken by a real daemon and read again from what it made of it. */
describe.skipIf(libvirtSocket === undefined)(`on a real daemon (${withoutLibvirt})`, peers, () => {
  let client: LibvirtClient;
  let pool: Pool;

  beforeAll(async () => {
    client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
    await cleanUp();
    pool = await client.definePool(poolXml({ name: prefix, kind: "dir", path: folder }));
    await client.buildPool(pool);
    await client.startPool(pool);
  });
  afterEach(removeMachines);
  afterAll(async () => {
    await cleanUp();
    client.close();
  });

  async function removeMachines(): Promise<void> {
    for (const domain of await client.domains()) {
      if (!domain.name.startsWith(prefix)) continue;
      await client.destroyDomain(domain).catch(() => undefined);
      await client.undefineDomain(domain);
    }
  }

  /** Whatever an earlier run has left behind. */
  async function cleanUp(): Promise<void> {
    await removeMachines();
    for (const network of await client.networks()) {
      if (network.name.startsWith(prefix)) await client.undefineNetwork(network);
    }
    for (const old of await client.pools()) {
      if (!old.name.startsWith(prefix)) continue;
      // Sees the log of a console, too.
      await client.refreshPool(old).catch(() => undefined);
      for (const volume of await client.volumes(old).catch(() => [])) await client.removeVolume(volume);
      await client.destroyPool(old).catch(() => undefined);
      await client.undefinePool(old);
    }
  }

  const dumped = (...args: string[]): string =>
    execFileSync("virsh", ["-q", "-c", "qemu:///system", ...args], { encoding: "utf8" });

  describe.each(Object.entries(machineVariants))("the machine %s", (_, machine) => {
    // The daemon itself checks what we write against its schema.
    test("is defined, read back the same, and stays so when it is defined anew", async () => {
      const domain = await client.defineDomain(machineXml(machine));
      const first = await client.domainXml(domain, "defined");
      const found = readMachine(first);
      expect(found).toEqual({ ...machine, pinned: found.pinned, others: [] });
      expect(found.pinned).toMatch(machine.machine === "q35" ? /^pc-q35-\d/ : /^pc-i440fx-\d/);
      await client.defineDomain(machineXml({ ...machine, pinned: found.pinned }));
      expect(await client.domainXml(domain, "defined")).toBe(first);
    });

    test.skipIf(!canValidateXml)("fits libvirt's schema as libvirt dumps it", async () => {
      const { name } = await client.defineDomain(machineXml(machine));
      expect(schemaComplaints(dumped("dumpxml", name), "domain")).toBe("");
    });
  });

  test("cards stay where they are when disks, discs and cards come and go", async () => {
    const places = async (machine: MachineXml): Promise<string[]> => {
      const domain = await client.defineDomain(machineXml(machine));
      const devices = firstAt(readXml(await client.domainXml(domain, "defined")), "devices");
      return allAt(devices, "interface", "address").map(({ attributes }) => JSON.stringify(attributes));
    };
    const { nics } = plainMachine();
    const second: MachineNic = { mac: "52:54:00:77:01:0c", kind: "bridge", source: "br1" };
    const [place] = await places(plainMachine());
    expect(place).toContain("pci");
    for (const variant of ["disks", "install-disc", "uefi", "room-to-grow"]) {
      expect(await places(machineVariants[variant] ?? plainMachine())).toEqual([place]);
    }
    expect((await places(plainMachine({ nics: [...nics, second] })))[0]).toBe(place);
  });

  test("disks, discs and cards are plugged in and out of a machine that is there", async () => {
    const plain = plainMachine();
    const domain = await client.defineDomain(machineXml(plain));
    const read = async () => readMachine(await client.domainXml(domain, "defined"));
    const disk: MachineDisk = {
      source: { kind: "file", path: `${folder}/data.img` },
      format: "raw",
      bus: "scsi",
      target: freeTarget("scsi", []),
      serial: "data-1",
      cache: "none",
    };
    const [, , nic] = machineVariants["nics"]?.nics ?? [];
    if (!nic) throw new Error("the variants have changed");
    await client.attachDevice(domain, diskXml(disk), "config");
    await client.attachDevice(domain, nicXml(nic), "config");
    await client.updateDevice(domain, driveXml("seed"), "config");
    const changed = await read();
    expect(changed.disks).toEqual([...plain.disks, disk]);
    expect(changed.nics).toEqual([...plain.nics, nic]);
    expect(changed.seed).toBeUndefined();
    expect(changed.others).toEqual([]);
    await client.detachDevice(domain, diskXml(disk), "config");
    await client.detachDevice(domain, nicXml(nic), "config");
    await client.updateDevice(domain, driveXml("seed", plain.seed), "config");
    expect(await read()).toEqual({ ...plain, pinned: changed.pinned, others: [] });
  });

  test.skipIf(!canValidateXml).each(Object.entries(otherVariants))(
    "the machine %s fits libvirt's schema",
    (_, machine) => {
      expect(schemaComplaints(machineXml(machine), "domain")).toBe("");
    },
  );

  test("a machine with a TPM is defined where the host has swtpm, and refused for it elsewhere", async () => {
    const capabilities = readMachineCapabilities(
      await client.machineCapabilities({ arch: "x86_64", machine: "q35", kind: "qemu" }),
    );
    const machine: MachineXml = plainMachine({ firmware: "uefi", hasTpm: true });
    const found = await client.defineDomain(machineXml(machine)).then(
      async (domain) => readMachine(await client.domainXml(domain, "defined")).hasTpm,
      (error: { code: string }) => error.code,
    );
    expect(found).toBe(capabilities.hasTpm ? true : "LIBVIRT_UNSUPPORTED_HARDWARE");
  });

  test("a running machine reads as it was defined, and takes eight more disks", async () => {
    const base = await client.createVolume(
      pool,
      volumeXml({ name: `${prefix}-base.qcow2`, format: "qcow2", capacityBytes: 2 ** 20 }),
    );
    const backing = { path: await client.volumePath(base), format: "qcow2" };
    const overlay = {
      name: `${prefix}-cp-1.qcow2`,
      format: "qcow2" as const,
      capacityBytes: 2 ** 24,
      backing,
    };
    await client.createVolume(pool, volumeXml(overlay));
    await client.createVolume(
      pool,
      volumeXml({ name: `${prefix}-cp-1-seed.iso`, format: "raw", capacityBytes: 2 ** 16 }),
    );
    await client.createVolume(
      pool,
      volumeXml({ name: `${prefix}-cp-1-data1.img`, format: "raw", capacityBytes: 2 ** 20 }),
    );
    const { disks, nics } = plainMachine();
    const data = machineVariants["disks"]?.disks[1];
    const machine = plainMachine({
      memoryMiB: 64,
      cores: 1,
      maxCores: 2,
      firmware: "uefi",
      // Not every file system of a test can do without the host's memory.
      disks: [...disks, ...(data ? [data] : [])].map((disk) => ({ ...disk, cache: "unsafe" as const })),
      nics: nics.slice(1),
      consoleLog: `${folder}/console.log`,
    });
    const domain = await client.startDomain(await client.defineDomain(machineXml(machine)));
    const found = readMachine(await client.domainXml(domain, "running"));
    expect(found).toEqual({ ...machine, pinned: found.pinned, others: [] });
    const more = Array.from({ length: 8 }, (_, index) => `${prefix}-more${index}.img`);
    const plugged = more.map((name, index): MachineDisk => ({
      source: { kind: "file", path: `${folder}/${name}` },
      format: "raw",
      bus: "virtio",
      target: `vd${"cdefghij"[index]}`,
      serial: `more-${index}`,
      cache: "unsafe",
    }));
    for (const name of more) {
      await client.createVolume(pool, volumeXml({ name, format: "raw", capacityBytes: 2 ** 16 }));
    }
    for (const disk of plugged) await client.attachDevice(domain, diskXml(disk), "live");
    const { disks: all } = readMachine(await client.domainXml(domain, "running"));
    expect(all).toEqual([...machine.disks, ...plugged]);
  });

  test("volumes are made as declared and read back", async () => {
    const thin = {
      name: `${prefix}-thin.img`,
      format: "raw" as const,
      capacityBytes: 3 * 2 ** 20,
      isThin: true as const,
    };
    const full = { name: `${prefix}-full <&>"' ü.img`, format: "raw" as const, capacityBytes: 2 ** 20 };
    const base = { name: `${prefix}-base2.qcow2`, format: "qcow2" as const, capacityBytes: 2 ** 20 };
    const backing = { path: `${folder}/${base.name}`, format: "qcow2" };
    const overlay = {
      name: `${prefix}-overlay.qcow2`,
      format: "qcow2" as const,
      capacityBytes: 2 ** 30,
      backing,
    };
    for (const volume of [thin, full, base, overlay]) {
      const { isThin, ...said } = { isThin: undefined, ...volume };
      const made = await client.createVolume(pool, volumeXml(volume));
      const text = await client.volumeXml(made);
      const found = readVolume(text);
      expect(found).toEqual({
        ...said,
        path: `${folder}/${volume.name}`,
        allocationBytes: found.allocationBytes,
      });
      expect(found.allocationBytes >= volume.capacityBytes).toBe(volume.format === "raw" && !isThin);
      expect(schemaComplaints(volumeXml(volume), "storagevol")).toBe("");
    }
    const info = execFileSync("qemu-img", ["info", "--output=json", `${folder}/${overlay.name}`], {
      encoding: "utf8",
    });
    expect(JSON.parse(info)).toMatchObject({
      "backing-filename-format": "qcow2",
      "format-specific": { data: { compat: "1.1" } },
    });
  });

  test("pools read back as they were defined", async () => {
    const found = readPool(await client.poolXml(pool));
    expect(found).toMatchObject({ name: prefix, kind: "dir", path: folder, uuid: pool.uuid });
    expect(found.availableBytes).toBeGreaterThan(0);
    expect(found.capacityBytes).toBeGreaterThanOrEqual(found.availableBytes);
    const logical = await client.definePool(
      poolXml({ name: `${prefix}-lvm`, kind: "logical", group: "vg0" }),
    );
    expect(readPool(await client.poolXml(logical))).toMatchObject({
      kind: "logical",
      source: "vg0",
      path: "/dev/vg0",
    });
  });

  test("a pool of ZFS reads back as it was defined", async ({ skip }) => {
    const wanted = poolXml({ name: `${prefix}-zfs`, kind: "zfs", dataset: "tank/machines" });
    const defined = await client.definePool(wanted).catch((error: { why: string }) => error.why);
    if (typeof defined === "string") return skip(`libvirt's driver for ZFS is not installed: ${defined}`);
    expect(readPool(await client.poolXml(defined))).toMatchObject({ kind: "zfs", source: "tank/machines" });
  });

  test.each(Object.entries(networkVariants))(
    "the network %s is defined and read back the same",
    async (_, network) => {
      const defined = await client.defineNetwork(networkXml(network));
      const found = readNetwork(await client.networkXml(defined));
      expect(found).toEqual({ reservations: [], ...network });
      expect(schemaComplaints(networkXml(network), "network")).toBe("");
      await client.undefineNetwork(defined);
    },
  );

  test("the host says what it can run, as virsh sees it", async () => {
    const host = readHostCapabilities(await client.capabilities());
    const [guest] = host.guests.filter(({ architecture }) => architecture === "x86_64");
    expect(guest).toMatchObject({ emulator: "/usr/bin/qemu-system-x86_64" });
    expect(guest?.hasKvm).toBe(dumped("capabilities").includes("<domain type='kvm'/>"));
    expect(guest?.machines.map(({ name }) => name)).toEqual(expect.arrayContaining(["q35", "pc"]));
    const q35 = readMachineCapabilities(
      await client.machineCapabilities({ arch: "x86_64", machine: "q35", kind: "qemu" }),
    );
    expect(q35).toMatchObject({
      accelerator: "qemu",
      architecture: "x86_64",
      hasUefi: true,
      canSecureBoot: true,
    });
    expect(q35.cpuModes).toContain("maximum");
    expect(q35.cpuModes).not.toContain("host-passthrough");
  });
});
