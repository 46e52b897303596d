import { expect, test } from "vitest";
import { issueLabClient } from "../../../../test/support/talos/config.ts";
import { bringUp, talosLab, until, untilProbe, type TalosLab } from "../../../../test/support/talos/lab.ts";

const vip = "127.46.0.100";
const addresses = ["127.46.0.2", "127.46.0.3", "127.46.0.4"];
const [first = "", second = "", third = ""] = addresses;
const controlPlanes = (count: number) =>
  addresses.slice(0, count).map((address, index) => ({
    name: `cp-${index + 1}`,
    address,
    role: "control-plane" as const,
    vip,
  }));

test("etcd keeps its leader until it passes the lead on, and lets members go while enough are left", async () => {
  await using lab = await talosLab({ endpoint: `https://${vip}:6443` });
  const [, , lost] = await bringUp(lab, controlPlanes(3));
  const client = lab.connect(first);
  const leader = (await client.etcdStatus())?.leaderId;
  expect((await lab.connect(second).etcdStatus())?.leaderId).toBe(leader);
  expect(await lab.connect(second).forfeitEtcdLeadership()).toBeUndefined();
  expect(await client.forfeitEtcdLeadership()).toBe("cp-2");
  expect((await client.etcdStatus())?.leaderId).not.toBe(leader);
  expect(await client.etcdAlarms()).toEqual([]);
  await client.defragmentEtcd();

  await lost?.guest.stop();
  // Of three members two run: without one of those, etcd could decide nothing any more.
  await expect(lab.connect(second).leaveEtcd()).rejects.toMatchObject({ code: "TALOS_CALL_FAILED" });
  const gone = (await client.etcdMembers()).find((member) => member.hostname === "cp-3");
  await client.removeEtcdMember(gone?.id ?? "");
  expect(await client.etcdMembers()).toHaveLength(2);
  await expect(client.removeEtcdMember(gone?.id ?? "")).rejects.toMatchObject({ code: "TALOS_NOT_FOUND" });
  // Discovery goes on believing in a machine that vanished.
  const members = (await client.members()).map((member) => member.hostname);
  expect(members.toSorted()).toEqual(["cp-1", "cp-2", "cp-3"]);
  await lab.connect(second).leaveEtcd();
  await expect(client.leaveEtcd()).rejects.toMatchObject({ code: "TALOS_CALL_FAILED" });
  expect(third).not.toBe("");
});

test("a single control plane that shall reset gracefully tells in its events why it does not", async () => {
  await using lab = await talosLab({ endpoint: `https://${first}:6443` });
  await bringUp(lab, controlPlanes(1));
  const client = lab.connect(first);
  const actorId = await client.reset({ isGraceful: true, reboots: true });
  for await (const event of client.events({ tail: -1, actorId })) {
    if (event.type !== "sequence" || event.error === undefined) continue;
    expect(event).toMatchObject({
      sequence: "reset",
      error: expect.stringContaining("not enough started members") as unknown,
    });
    break;
  }
  expect(await client.machineStatus()).toMatchObject({ stage: "running" });
});

test("alarms stay until somebody disarms them", async () => {
  await using made = await talosLab({ endpoint: `https://${first}:6443` });
  const disks = new Map();
  const lab = await talosLab({ endpoint: `https://${first}:6443`, secrets: made.secrets, disks });
  await bringUp(lab, controlPlanes(1));
  const [member] = await lab.connect(first).etcdMembers();
  const memberId = member?.id ?? "";
  await lab[Symbol.asyncDispose]();
  const saved = structuredClone(JSON.parse(JSON.stringify(lab.guests.state()))) as ReturnType<
    typeof lab.guests.state
  >;
  for (const cluster of Object.values(saved)) cluster.alarms = [{ memberId, alarm: "NOSPACE" }];
  await using again = await talosLab({
    endpoint: `https://${first}:6443`,
    secrets: made.secrets,
    disks,
    saved,
  });
  again.start("cp-1", first);
  const client = again.connect(first);
  await until(async () => (await client.etcdAlarms().catch(() => [])).length === 1);
  expect(await client.disarmEtcdAlarms()).toEqual([{ memberId, alarm: "no-space" }]);
  expect(await client.etcdAlarms()).toEqual([]);
});

test("a cluster that lost all its data comes back from a snapshot, with what was in it", async () => {
  await using lab = await talosLab({ endpoint: `https://${first}:6443` });
  await bringUp(lab, controlPlanes(1));
  const client = lab.connect(first);
  const backup = lab.connect(first, await issueLabClient(lab.secrets, ["os:etcd:backup"]));
  const snapshot = await collect(backup.etcdSnapshot());
  expect(snapshot.length % 512).toBe(32);
  await expect(backup.kubeconfig()).rejects.toMatchObject({ code: "TALOS_DENIED" });
  // A node takes a snapshot also while its etcd runs; only a Bootstrap would use it.
  await client.recoverEtcd([snapshot]);
  await wipe(lab);

  await expect(client.bootstrap({ recoversEtcd: true })).rejects.toMatchObject({
    code: "TALOS_PRECONDITION",
  });
  await client.recoverEtcd([snapshot.subarray(0, 50_000), snapshot.subarray(50_000)]);
  await client.bootstrap({ recoversEtcd: true });
  await until(async () => (await client.machineStatus().catch(() => undefined))?.isReady === true);
  expect(await client.etcdMembers()).toHaveLength(1);
  const later = await collect(client.etcdSnapshot());
  expect(later.includes("/registry/nodes/cp-1")).toBe(true);
  expect(lab.guests.bootstraps()).toEqual({ lab: 1 });
});

test("a snapshot without its checksum is only taken by somebody who insists", async () => {
  await using lab = await talosLab({ endpoint: `https://${first}:6443` });
  await bringUp(lab, controlPlanes(1));
  const client = lab.connect(first);
  const database = (await collect(client.etcdSnapshot())).subarray(0, -32);
  await wipe(lab);
  await client.recoverEtcd([database]);
  await client.bootstrap({ recoversEtcd: true });
  expect((await client.services()).find(({ id }) => id === "etcd")).toMatchObject({
    state: "Failed",
    lastMessage: "Failed to restore the snapshot: no checksum",
  });
  await wipe(lab);
  await client.recoverEtcd([database]);
  await client.bootstrap({ recoversEtcd: true, skipsHashCheck: true });
  await until(async () => (await client.machineStatus().catch(() => undefined))?.isReady === true);
});

async function wipe(lab: TalosLab): Promise<void> {
  const client = lab.connect(first);
  const before = await client.bootId();
  await client.reset({ isGraceful: false, reboots: true, partitions: ["EPHEMERAL"] });
  await until(async () => (await client.bootId().catch(() => before)) !== before);
  await untilProbe(lab, first, "ours");
  await until(async () =>
    (await client.services()).some(({ id, state }) => id === "etcd" && state === "Preparing"),
  );
}

async function collect(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}
