import { describe, expect, test } from "vitest";
import { bench, type Bench } from "../../../../../test/support/sim-proxmox-bench.ts";

const list = "/nodes/hydra/qemu";
const base = `${list}/100`;
const config = `${base}/config`;
const machine = { vmid: "100", scsi0: "local-lvm:8", net0: "virtio,bridge=vmbr0" };

const bad = (box: Bench, method: string, path: string, params: Record<string, string>) =>
  box.ask(method, path, params).then(({ status, message }) => `${status} ${message?.trim() ?? ""}`);
const kept = (box: Bench) => box.sim.state().vms["100"]?.config ?? {};

describe("a drive no schema forbids and nobody can build", () => {
  test.each([
    ["ide2", "none,media=cdrom,format=raw"],
    ["virtio0", "none,media=cdrom"],
    ["scsi0", "local-lvm:1,mbps=5,mbps_rd=10"],
    ["scsi0", "local-lvm:1,iops=5,iops_wr=10"],
    ["scsi0", "local-lvm:1,mbps_max=10"],
    ["scsi0", "local-lvm:1,iops_max_length=10"],
  ])("%s=%s", async (slot, value) => {
    const box = await bench();
    expect(await bad(box, "POST", list, { vmid: "100", [slot]: value })).toMatch(/^400 /);
    await box.run("POST", list, { vmid: "100" });
    expect(await bad(box, "PUT", config, { [slot]: value })).toMatch(/^400 /);
  });

  test("a disk whose file is called as no disk is", async () => {
    const box = await bench();
    expect(await bad(box, "POST", list, { vmid: "100", scsi0: "local:100/disk.qcow2" })).toBe(
      "500 unable to parse volume filename 'disk.qcow2'",
    );
  });
});

describe("what the file of a machine keeps", () => {
  test("no blanks around a value, no end of a line within one, no size of an empty drive", async () => {
    const box = await bench();
    await box.run("POST", list, { ...machine, ciuser: " me ", ide2: "none,media=cdrom,size=4G" });
    expect(kept(box)).toMatchObject({ ciuser: "me", ide2: "none,media=cdrom" });
    await box.ask("PUT", config, { description: "two lines \n\n", migrate_downtime: "0.5" });
    expect(kept(box)).toMatchObject({ description: "two lines", migrate_downtime: "0.5" });
    const broken = "unable to parse value of 'ciuser' - property contains a line feed";
    expect(await bad(box, "PUT", config, { ciuser: "a\nb" })).toBe(`500 ${broken}`);
    expect(await box.run("POST", list, { vmid: "101", ciuser: "a\nb" })).toBe(
      `unable to create VM 101 - ${broken}`,
    );
  });

  test("disks in whole KiB", async () => {
    const box = await bench();
    await box.run("POST", list, { ...machine, scsi0: "local-lvm:0.001" });
    expect(kept(box)["scsi0"]).toBe("local-lvm:vm-100-disk-0,size=1049K");
  });

  test("an order of boot devices instead of the one disk of old", async () => {
    const box = await bench();
    await box.run("POST", list, { ...machine, boot: "cdn", bootdisk: "scsi0" });
    await box.ask("PUT", config, { boot: "order=scsi0" });
    expect(kept(box)).toMatchObject({ boot: "order=scsi0" });
    expect(kept(box)).not.toHaveProperty("bootdisk");
  });

  test("the board of a machine that becomes a Windows one", async () => {
    const box = await bench();
    await box.run("POST", list, machine);
    await box.ask("PUT", config, { ostype: "win11" });
    expect(kept(box)["machine"]).toBe("pc-i440fx-10.0");
    await box.ask("PUT", config, { ostype: "win10", machine: "q35" });
    expect(kept(box)["machine"]).toBe("q35");
  });
});

describe("what keeps a machine from starting", () => {
  test.each([
    [
      { machine: "pc-q35-99.0" },
      /^Installed QEMU version '10\.0\.13' is too old to run machine type 'pc-q35-99\.0\+pve0'/,
    ],
    [{ bios: "ovmf", cpu: "kvm32" }, /^OVMF \(UEFI\) BIOS is not supported on 32-bit CPU types$/],
    [{ hotplug: "memory" }, /^NUMA needs to be enabled for memory hotplug$/],
    [{ hotplug: "memory", numa: "1", memory: "512" }, /^minimum memory must be 1024MB$/],
    [{ numa: "1", numa0: "cpus=0" }, /^missing NUMA node0 memory value$/],
    [
      { numa: "1", numa0: "cpus=0,memory=64" },
      /^total memory for NUMA nodes must be equal to vm static memory$/,
    ],
    [{ cores: "1", vcpus: "2" }, /^start failed: QEMU exited with code 1$/],
    [
      { net0: "virtio,bridge=vmbr0,mtu=400" },
      /^netdev net0: MTU '400' is smaller than the IP minimum MTU '576'$/,
    ],
    [{ net0: "e1000,bridge=vmbr7" }, /^start failed: QEMU exited with code 1$/],
    [{ net0: "virtio,bridge=vmbr7" }, /^bridge 'vmbr7' does not exist$/],
  ] as const)("%j", async (params, reason) => {
    const box = await bench();
    await box.run("POST", list, { vmid: "100", ...params });
    expect(await box.run("POST", `${base}/status/start`)).toMatch(reason);
  });

  test("a lock, but not the one of a machine that sleeps on its disk, which it wakes from", async () => {
    const box = await bench();
    await box.run("POST", list, machine);
    const { vms } = box.sim.state();
    Object.assign(vms["100"]?.config ?? {}, { lock: "migrate" });
    expect(await box.run("POST", `${base}/status/start`)).toBe("VM is locked (migrate)");
    Object.assign(vms["100"]?.config ?? {}, { lock: "suspended" });
    expect(await box.run("POST", `${base}/status/resume`)).toBe("OK");
    expect(kept(box)).not.toHaveProperty("lock");
    Object.assign(vms["100"]?.config ?? {}, { lock: "backup" });
    expect(await box.run("POST", `${base}/status/start`)).toBe("OK");
    expect(await box.run("POST", `${base}/status/suspend`)).toBe("OK");
  });
});

test("a machine shows as many cores as its node has, and what it may be asked to give back", async () => {
  const box = await bench();
  const status = async () => (await box.ask("GET", `${base}/status/current`)).data;
  await box.run("POST", list, { ...machine, cores: "128", balloon: "256", vga: "qxl,clipboard=vnc" });
  expect(await status()).toMatchObject({ cpus: 32, balloon_min: 256 * 2 ** 20, shares: 1000 });
  expect(await status()).toMatchObject({ spice: 1, clipboard: "vnc", maxdisk: 8 * 2 ** 30 });
  await box.ask("PUT", config, { vcpus: "3", boot: "order=net0", vga: "std" });
  expect(await status()).toMatchObject({ cpus: 3, maxdisk: 0, clipboard: null });
  expect(await status()).not.toHaveProperty("spice");
});

test("snapshots keep no notes and no unused disks; going back sets aside what came since", async () => {
  const box = await bench();
  await box.run("POST", list, { ...machine, description: "notes" });
  await box.run("POST", `${base}/snapshot`, { snapname: "before" });
  expect((await box.ask("GET", `${base}/snapshot/before/config`)).data).not.toHaveProperty("description");
  await box.ask("PUT", config, { scsi1: "local-lvm:1" });
  expect(await box.run("POST", `${base}/snapshot/before/rollback`)).toBe("OK");
  expect(kept(box)).toMatchObject({ description: "notes", unused0: "local-lvm:vm-100-disk-1" });
  expect((await box.ask("POST", `${base}/template`)).message).toMatch(/^unable to create template/);
  await box.ask("PUT", config, { template: "1" });
  expect(await box.run("POST", `${base}/snapshot/before/rollback`)).toBe(
    "you can't rollback if vm is a template",
  );
  expect(await box.run("DELETE", `${base}/snapshot/before`)).toBe(
    "you can't delete a snapshot if vm is a template",
  );
});

test("a disk goes only where disks may be, and an empty drive has no size to change", async () => {
  const box = await bench();
  await box.run("POST", list, { ...machine, ide2: "none,media=cdrom" });
  expect(await bad(box, "POST", `${base}/move_disk`, { disk: "scsi0", storage: "local" })).toMatch(/^400 /);
  expect(await box.run("PUT", `${base}/resize`, { disk: "ide2", size: "+1G" })).toBe(
    "unable to parse volume ID 'none'",
  );
});

test("only nodes that see its disks can take a machine", async () => {
  const box = await bench();
  await box.run("POST", list, machine);
  const feature = await box.ask("GET", `${base}/feature`, { feature: "snapshot" });
  expect(feature.data).toMatchObject({ nodes: ["hydra"] });
});

describe("the files on a cloud-init drive", () => {
  test.each([
    ["user", { ciuser: "root" }, /user: root\ndisable_root: False\n(?!.*- default)/s],
    ["user", { searchdomain: "a.lan b.lan" }, /fqdn: box\.a\.lan b\.lan\n/],
    ["network", { ipconfig0: "" }, /- type: dhcp4\n {6}- type: dhcp6\n/],
    ["network", { ipconfig0: "ip=dhcp,gw=10.0.0.1" }, /^(?!.*dhcp4)/s],
    ["network", { citype: "opennebula" }, /iface lo inet loopback/],
    ["meta", { ostype: "win11" }, /network_config/],
  ] as const)("%s of %j", async (type, params, text) => {
    const box = await bench();
    await box.run("POST", list, { ...machine, name: "box", ...params });
    expect((await box.ask("GET", `${base}/cloudinit/dump`, { type })).data).toMatch(text);
  });
});

test("files of one's own on a cloud-init drive are snippets", async () => {
  const box = await bench();
  const seed = { ide2: "local-lvm:cloudinit", cicustom: "user=local:iso/a.iso" };
  await box.run("POST", list, { ...machine, ...seed });
  expect(await box.run("POST", `${base}/status/start`)).toBe(
    "local:iso/a.iso is not in the snippets directory",
  );
});

test("a disk that keeps its storage moves only to where that is", async () => {
  const box = await bench();
  await box.ask("POST", "/storage", { storage: "here", type: "dir", path: "/mnt/here", nodes: "hydra" });
  await box.run("POST", list, { ...machine, scsi0: "here:1" });
  const move = (params: Record<string, string>) =>
    bad(box, "POST", `${base}/migrate`, { target: "lyra", ...params });
  expect(await move({})).toBe("500 storage 'here' is not available on node 'lyra'");
  expect(await move({ targetstorage: "1" })).toBe("500 storage 'here' is not available on node 'lyra'");
  expect(await move({ targetstorage: "local-lvm" })).toMatch(/^200 /);
});

test("a task that fails over parameters says on one line what was wrong with them", async () => {
  const box = await bench();
  await box.run("POST", list, machine);
  await box.run("POST", `${base}/status/start`);
  expect(await box.run("POST", config, { delete: "scsi0" })).toBe(
    "400 Parameter verification failed. scsi0: hotplug problem - can't unplug bootdisk 'scsi0' ",
  );
});

test("a template's disk is a base wherever it goes", async () => {
  const box = await bench();
  await box.ask("POST", "/storage", { storage: "more", type: "dir", path: "/mnt/more", content: "images" });
  await box.run("POST", list, machine);
  await box.run("POST", `${base}/template`);
  expect(await box.run("POST", `${base}/move_disk`, { disk: "scsi0", storage: "more" })).toBe("OK");
  expect(kept(box)["scsi0"]).toBe("more:100/base-100-disk-0.raw,size=8G");
});

test("notes of nothing are no notes, and processors of old are sockets", async () => {
  const box = await bench();
  await box.run("POST", list, { ...machine, description: "notes", smp: "2" });
  expect(kept(box)).toMatchObject({ description: "notes", sockets: 2 });
  expect((await box.ask("PUT", config, { description: "", smp: "3", delete: "sockets" })).status).toBe(200);
  expect(kept(box)).not.toHaveProperty("description");
  expect(kept(box)).not.toHaveProperty("smp");
});

test("a machine does not start from a storage that is switched off, or no longer for disks", async () => {
  const box = await bench();
  await box.ask("POST", "/storage", { storage: "more", type: "dir", path: "/mnt/more", content: "images" });
  await box.run("POST", list, { ...machine, scsi0: "more:1" });
  await box.ask("PUT", "/storage/more", { content: "iso" });
  expect(await box.run("POST", `${base}/status/start`)).toBe(
    "storage 'more' does not support content-type 'images'",
  );
  await box.ask("PUT", "/storage/more", { content: "images", disable: "1" });
  expect(await box.run("POST", `${base}/status/start`)).toBe("storage 'more' is disabled");
});

test("firmware of old has less to remember, and a storage has fewer formats than the emulator", async () => {
  const box = await bench();
  await box.run("POST", list, { ...machine, efidisk0: "local-lvm:1" });
  expect(kept(box)["efidisk0"]).toBe("local-lvm:vm-100-disk-0,size=128K");
  await box.ask("POST", "/storage", { storage: "more", type: "dir", path: "/mnt/more", content: "images" });
  expect(await box.run("POST", list, { vmid: "101", scsi0: "more:1,format=qed" })).toBe(
    "unable to create VM 101 - unable to parse volume filename 'vm-101-disk-0.qed'",
  );
});
