import { expect, test } from "vitest";
import type { GuestDisk } from "../../guest.ts";
import {
  bringUp,
  isoBoot,
  talosLab,
  until,
  untilProbe,
  type TalosLab,
} from "../../../../test/support/talos/lab.ts";

const address = "127.43.0.2";
const endpoint = `https://${address}:6443`;
const solo = [{ name: "cp-1", address, role: "control-plane" as const }];

const isReady = (lab: TalosLab, at: string) => async () => {
  const status = await lab
    .connect(at)
    .machineStatus()
    .catch(() => undefined);
  return status?.stage === "running" && status.isReady;
};

test("a rebooted node comes back by itself as the etcd member it was", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, solo);
  const client = lab.connect(address);
  const [before] = await client.etcdMembers();
  await client.reboot();
  await until(async () => !(await isReady(lab, address)()));
  await until(isReady(lab, address));
  expect(await client.etcdMembers()).toEqual([before]);
  expect(lab.guests.bootstraps()).toEqual({ lab: 1 });
});

test("an upgraded node boots the version and schematic of the installer", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, solo);
  const client = lab.connect(address);
  const schematic = "a".repeat(64);
  await client.upgrade(`factory.talos.dev/nocloud-installer/${schematic}:v1.13.10`);
  await until(async () => (await client.version().catch(() => undefined))?.version === "1.13.10");
  expect(await client.extensions()).toMatchObject([{ name: "schematic", version: schematic }]);
});

test("a node whose system disk was reset waits in maintenance mode again", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, solo);
  await lab.connect(address).reset({ isGraceful: false, reboots: true, partitions: ["STATE", "EPHEMERAL"] });
  await untilProbe(lab, address, "maintenance");
});

test("a node that is shut down asks the hypervisor to cut its power", async () => {
  await using lab = await talosLab({ endpoint });
  const node = lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  node.guest.shutdown?.();
  await until(() => Promise.resolve(node.isOff));
  await untilProbe(lab, address, "unreachable");
});

test("a node booted from an ISO installs itself, boots again and runs the installer's version", async () => {
  await using lab = await talosLab({ endpoint });
  lab.start("cp-1", address, { boot: isoBoot("local:iso/nocloud-amd64-1.13.8.iso") });
  await untilProbe(lab, address, "maintenance");
  expect((await lab.connectMaintenance(address).version()).version).toBe("1.13.8");
  const installImage = "factory.talos.dev/nocloud-installer/aa:v1.13.9";
  await lab
    .connectMaintenance(address)
    .applyConfig(lab.configFor({ name: "cp-1", address: address, role: "control-plane", installImage }));
  const client = lab.connect(address);
  await until(async () => (await client.version().catch(() => undefined))?.version === "1.13.9");
  expect(await client.systemDisk()).toBe("sda");
});

test("a datacenter started again from what it saved finds the cluster as it was", async () => {
  const disks = new Map<string, GuestDisk>();
  const first = await talosLab({ endpoint, disks });
  await bringUp(first, solo);
  const [member] = await first.connect(address).etcdMembers();
  await first[Symbol.asyncDispose]();
  const saved = JSON.parse(JSON.stringify(first.guests.state())) as ReturnType<typeof first.guests.state>;

  await using second = await talosLab({ endpoint, disks, saved, secrets: first.secrets });
  second.start("cp-1", address);
  await until(isReady(second, address));
  expect(await second.connect(address).etcdMembers()).toEqual([member]);
  await expect(second.connect(address).bootstrap()).rejects.toMatchObject({ code: "TALOS_ALREADY_EXISTS" });
  expect(second.guests.bootstraps()).toEqual({ lab: 1 });
});

test("without quorum etcd does not answer, and the shared address moves to a control plane that lives", async () => {
  const vip = "127.43.1.100";
  const addresses = ["127.43.1.2", "127.43.1.3", "127.43.1.4"];
  await using lab = await talosLab({ endpoint: `https://${vip}:6443` });
  const nodes = addresses.map((at, index) => ({
    name: `cp-${index + 1}`,
    address: at,
    role: "control-plane" as const,
    vip,
  }));
  const [first, second, third] = await bringUp(lab, nodes);
  const hasVip = async () => {
    const socket = await lab.network.dial({ host: vip, port: 6443 }).catch(() => undefined);
    socket?.destroy();
    return socket !== undefined;
  };
  await until(hasVip);
  await first?.guest.stop();
  await until(hasVip);
  const client = lab.connect("127.43.1.4");
  expect(await client.etcdMembers()).toHaveLength(3);
  await second?.guest.stop();
  await expect(client.etcdMembers()).rejects.toMatchObject({ code: "TALOS_UNAVAILABLE" });
  expect(third?.isOff).toBe(false);
});

test("a worker's API stays shut until a control plane of its cluster is up", async () => {
  await using lab = await talosLab({ endpoint });
  const worker = "127.43.0.3";
  lab.start("worker-1", worker);
  await untilProbe(lab, worker, "maintenance");
  await lab
    .connectMaintenance(worker)
    .applyConfig(lab.configFor({ name: "worker-1", address: worker, role: "worker" }));
  await untilProbe(lab, worker, "unreachable");
  lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  await lab
    .connectMaintenance(address)
    .applyConfig(lab.configFor({ name: "cp-1", address: address, role: "control-plane" }));
  await untilProbe(lab, worker, "ours");
  await expect(lab.connect(worker).bootstrap()).rejects.toMatchObject({ code: "TALOS_UNIMPLEMENTED" });
});

test("a node without a network of Talos's own is not ready until somebody brings one", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, [{ name: "cp-1", address, role: "control-plane", cni: "none" }], {
    isReadyAwaited: false,
  });
  const client = lab.connect(address);
  await until(async () => {
    const unmet = (await client.machineStatus())?.unmet ?? [];
    return unmet.length === 1 && unmet[0]?.reason === 'node "cp-1" is not ready';
  });
});

test("a cluster whose machines were all removed can be made again from the same secrets", async () => {
  await using lab = await talosLab({ endpoint });
  const [gone] = await bringUp(lab, solo);
  await gone?.guest.stop();
  await bringUp(lab, [{ name: "cp-again", address, role: "control-plane" }]);
  expect(await lab.connect(address).etcdMembers()).toMatchObject([{ hostname: "cp-again" }]);
});

test("a node that is asked to reboot stays a while, in that stage and without its pods, before it leaves [talos S1]", async () => {
  await using lab = await talosLab({ endpoint, latencies: { leaveMs: 1_500 } });
  await bringUp(lab, solo);
  const client = lab.connect(address);
  const before = await client.bootId();
  const askedAt = Date.now();
  await client.reboot();
  await until(async () => (await client.machineStatus())?.stage === "rebooting");
  const etcd = (await client.services()).find(({ id }) => id === "etcd");
  expect(etcd?.state).toBe("Finished");
  expect(await client.bootId()).toBe(before);
  await until(async () => (await client.bootId().catch(() => before)) !== before);
  expect(Date.now() - askedAt).toBeGreaterThanOrEqual(1_400);
});
