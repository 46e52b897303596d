import { expect, test } from "vitest";
import { serveScript } from "../../../../test/support/proxmox/fake-server.ts";
import { parseConfigFile } from "./backups.ts";

test("a configuration file is read as Proxmox keeps it: notes, settings, and no snapshot", () => {
  const text = [
    "#Node%3A 100 %25, M%C3%BCller",
    "#second line",
    "#qmdump#map:scsi0:drive-scsi0:local-lvm:raw:",
    "cores: 2",
    "net0: virtio=BC:24:11:00:00:01,bridge=vmbr0",
    "scsi0: local-lvm:vm-100-disk-0,size=8G",
    "",
    "[before]",
    "cores: 8",
  ].join("\n");
  expect(parseConfigFile(text)).toEqual({
    description: "Node: 100 %, Müller\nsecond line",
    cores: "2",
    net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0",
    scsi0: "local-lvm:vm-100-disk-0,size=8G",
  });
  expect(parseConfigFile("memory: 512\n")).toEqual({ memory: "512" });
});

test("backups are listed oldest first, those of containers left out", async () => {
  const row = { content: "backup", size: 5, notes: "kept\n" };
  using server = await serveScript(() => ({
    data: [
      { ...row, volid: "pbs:backup/vm/100/2026-01-02T00:00:00Z", ctime: 20, vmid: 100, subtype: "qemu" },
      { ...row, volid: "pbs:backup/ct/101/2026-01-02T00:00:00Z", ctime: 15, vmid: 101, subtype: "lxc" },
      { ...row, volid: "nas:backup/vzdump-qemu-100-2026_01_01-00_00_00.vma.zst", ctime: 10, vmid: "100" },
    ],
  }));
  const found = await server.connect().archives("pve1", "pbs");
  expect(found.map(({ takenAt, vmid, notes }) => [takenAt, vmid, notes])).toEqual([
    [10, 100, "kept"],
    [20, 100, "kept"],
  ]);
});
