import { expect, test } from "vitest";
import { talosLab, untilProbe } from "../../test/support/talos/lab.ts";
import { parseDatacenter } from "./datacenter-file.ts";
import { bench } from "../../test/support/sim-proxmox-bench.ts";

const datacenter = parseDatacenter(
  `
nodes: { hydra: { cores: 8, memory: 32GiB }, lyra: { cores: 8, memory: 32GiB }, orion: { cores: 8, memory: 32GiB } }
storages:
  local: { type: dir, size: 100GiB, content: [iso, import] }
  local-lvm: { type: lvmthin, size: 1TiB, content: [images] }
networks:
  vmbr0:
    cidr: 127.47.1.0/24
    dhcp:
      range: [127.47.1.200, 127.47.1.201]
      reservations: { "02:A1:B2:C3:01:01": { address: 127.47.1.2, hostname: cp-1 } }
  vmbr0.14: { cidr: 127.47.2.0/24, dhcp: { reservations: { "02:a1:b2:c3:01:01": { address: 127.47.2.2 } } } }
users: { "slipway@pve": {} }
acl: [{ path: /, role: Administrator, user: "slipway@pve" }]
tokens: { "slipway@pve!main": { secret: 5117a400-0000-4000-8000-000000000001, privsep: false } }
`,
  "dc.yaml",
);

const cards = [
  "02:A1:B2:C3:01:01,bridge=vmbr0",
  "02:A1:B2:C3:01:01,bridge=vmbr0,tag=14",
  "02:00:00:00:00:01,bridge=vmbr0",
  "02:00:00:00:00:02,bridge=vmbr0",
  "02:00:00:00:00:03,bridge=vmbr0",
];

test("a card gets the address reserved for it on its network, else one of the range, and keeps it", async () => {
  const box = await bench({ datacenter });
  for (const [index, card] of cards.entries()) {
    const machine = { vmid: String(100 + index), name: `vm-${index}`, net0: `virtio=${card}` };
    await box.run("POST", "/nodes/hydra/qemu", machine);
    await box.run("POST", `/nodes/hydra/qemu/${100 + index}/status/start`);
  }
  await box.run("POST", "/nodes/hydra/qemu/103/status/stop");
  await box.run("POST", "/nodes/hydra/qemu/103/status/start");
  expect(box.booted.map(({ hardware }) => hardware.nics[0]?.lease)).toEqual([
    { cidr: "127.47.1.2/24", hostname: "cp-1" },
    { cidr: "127.47.2.2/24" },
    { cidr: "127.47.1.200/24" },
    { cidr: "127.47.1.201/24" },
    undefined,
    { cidr: "127.47.1.201/24" },
  ]);
});

test("a metal ISO without a seed comes up by lease and takes the name it is offered", async () => {
  await using lab = await talosLab({ endpoint: "https://127.47.1.2:6443" });
  const box = await bench({ datacenter, boot: lab.guests.boot });
  const url = "https://factory.talos.dev/image/aa/v1.13.9/metal-amd64.iso";
  const image = { content: "iso", filename: "talos.iso", url };
  await box.run("POST", "/nodes/hydra/storage/local/download-url", image);
  await box.run("POST", "/nodes/hydra/qemu", {
    vmid: "100",
    name: "anything",
    scsi0: "local-lvm:20",
    ide2: "local:iso/talos.iso,media=cdrom",
    net0: "virtio=02:A1:B2:C3:01:01,bridge=vmbr0",
    boot: "order=scsi0;ide2",
  });
  await box.run("POST", "/nodes/hydra/qemu/100/status/start");
  await untilProbe(lab, "127.47.1.2", "maintenance");
  expect(await lab.connectMaintenance("127.47.1.2").hostname()).toBe("cp-1");
});
