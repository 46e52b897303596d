import { expect, test } from "vitest";
import { realClock, realRandom } from "../../lib/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { issueLabClient } from "../../../test/support/talos/config.ts";
import { bringUp, talosLab, untilProbe } from "../../../test/support/talos/lab.ts";
import { connectTalos, probeTalos, resourceKinds } from "./index.ts";

const address = "127.42.0.2";
const endpoint = `https://${address}:6443`;
const solo = [{ name: "cp-1", address, role: "control-plane" as const }];

test("probeTalos() tells a silent address from a node in maintenance mode, ours, and another cluster's", async () => {
  await using lab = await talosLab({ endpoint });
  const { dial } = lab.network;
  expect(await probeTalos({ clock: realClock, address, dial })).toMatchObject({ state: "unreachable" });
  await bringUp(lab, solo);
  expect(await probeTalos({ clock: realClock, address, dial, osCa: lab.secrets.os.cert })).toEqual({
    state: "ours",
  });
  await using stranger = await talosLab({ endpoint });
  expect(await probeTalos({ clock: realClock, address, dial, osCa: stranger.secrets.os.cert })).toEqual({
    state: "other-cluster",
  });
});

test("applyConfig() refuses a node in maintenance mode that shows another fingerprint than the pinned one", async () => {
  await using lab = await talosLab({ endpoint });
  lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  const found = await probeTalos({ clock: realClock, address, dial: lab.network.dial });
  const fingerprint = found.state === "maintenance" ? found.fingerprint : "";
  expect(Buffer.from(fingerprint, "base64")).toHaveLength(32);
  await lab.connectMaintenance(address, fingerprint).version();
  const wrong = lab.connectMaintenance(address, realRandom.bytes(32).toString("base64"));
  await expect(wrong.applyConfig("x")).rejects.toMatchObject({ code: "TALOS_FINGERPRINT_MISMATCH" });
});

test("a config with mistakes comes back with what the node says of them", async () => {
  await using lab = await talosLab({ endpoint });
  lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  const text = `${lab.configFor({ name: "cp-1", address: address, role: "control-plane" })}---\napiVersion: v1alpha1\nkind: KubeletConfig\n`;
  await expect(lab.connectMaintenance(address).applyConfig(text)).rejects.toMatchObject({
    code: "TALOS_CONFIG_INVALID",
    transient: false,
    why: expect.stringContaining(
      'KubeletConfig/ (line 24): "KubeletConfig" "v1alpha1": not registered',
    ) as unknown,
  });
});

test("the maintenance client stops before a configured node, and the secure one before a stranger's", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, solo);
  await expect(lab.connectMaintenance(address).version()).rejects.toMatchObject({
    code: "TALOS_NOT_IN_MAINTENANCE",
  });
  await using stranger = await talosLab({ endpoint });
  await expect(stranger.connect(address).version()).rejects.toMatchObject({ code: "TALOS_UNTRUSTED" });
  const wrongIdentity = { ca: lab.secrets.os.cert, ...stranger.admin };
  const client = connectTalos({ clock: realClock, address, dial: lab.network.dial, identity: wrongIdentity });
  await expect(client.version()).rejects.toBeInstanceOf(SlipwayError);
  client.close();
});

test("a reader may look but not touch", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, solo);
  const identity = await issueLabClient(lab.secrets, ["os:reader"]);
  const reader = lab.connect(address, identity);
  expect((await reader.version()).version).toBe("1.13.9");
  await expect(reader.reboot()).rejects.toMatchObject({ code: "TALOS_DENIED" });
  await expect(reader.machineConfig()).rejects.toMatchObject({ code: "TALOS_DENIED" });
});

test("resources, events and logs can be read and followed", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, solo);
  const client = lab.connect(address);
  expect(await client.machineConfig()).toBe(
    lab.configFor({ name: "cp-1", address: address, role: "control-plane" }),
  );
  expect(await client.links()).toMatchObject([
    { name: "eth0", state: "up" },
    { name: "lo", state: "unknown" },
  ]);
  expect(await client.disks()).toMatchObject([{ id: "sda", path: "/dev/sda", sizeBytes: 50 * 1024 ** 3 }]);
  expect(await client.extensions()).toMatchObject([
    { name: "schematic", version: expect.stringMatching(/^ce4c9805/) as unknown },
  ]);
  const [mine, other] = await Promise.all([
    client.listResources(resourceKinds.extensions),
    client.listResources(resourceKinds.extensions),
  ]);
  Object.assign(mine[0]?.spec as object, { metadata: "changed by its reader" });
  expect(await client.listResources(resourceKinds.extensions)).toEqual(other);
  expect(await client.etcdStatus()).toMatchObject({ isLearner: false, errors: [] });
  expect(await client.getResource(resourceKinds.machineStatus, "nothing")).toBeUndefined();

  const watch = client.watchResources(resourceKinds.machineStatus, { id: "machine" });
  expect((await watch.next()).value).toMatchObject({
    type: "created",
    resource: { spec: { stage: "running" } },
  });
  const events = client.events({ tail: -1 });
  expect((await events.next()).value).toMatchObject({ type: "other", name: "" });
  expect((await events.next()).value).toMatchObject({ type: "sequence", sequence: "initialize" });
  expect(await allText(client.logs("etcd"))).toContain("Health check successful");
  expect(await allText(client.dmesg())).toContain("maintenance");
  await watch.return(undefined);
  await events.return(undefined);
});

test.each([
  ["refuse", "TALOS_CONNECTION_CUT", true],
  ["lost-reply", "TALOS_CONNECTION_CUT", true],
  ["hang", "TALOS_NO_ANSWER", true],
  ["unreachable", "TALOS_UNAVAILABLE", true],
  ["lock", "TALOS_NOT_YET", true],
  ["error", "TALOS_CALL_FAILED", false],
] as const)("a call that meets the fault %s fails with %s", async (kind, code, transient) => {
  const faults = [{ call: "talos machine.MachineService/Version", kind }];
  await using lab = await talosLab({ endpoint, faults });
  lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  const client = lab.connectMaintenance(address);
  await expect(client.version({ timeoutMs: 3_000 })).rejects.toMatchObject({ code, transient });
  expect((await client.version()).version).toBe("1.13.9");
});

test("a machine that dies during a call leaves a transient error and an address nobody answers on", async () => {
  const faults = [{ call: "talos machine.MachineService/ApplyConfiguration", kind: "die" as const }];
  await using lab = await talosLab({ endpoint, faults });
  const node = lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  const client = lab.connectMaintenance(address);
  await expect(
    client.applyConfig(lab.configFor({ name: "cp-1", address: address, role: "control-plane" })),
  ).rejects.toMatchObject({
    transient: true,
  });
  expect(node.isOff).toBe(true);
  await expect(client.version()).rejects.toMatchObject({ code: "TALOS_UNREACHABLE", transient: true });
});

test("a cancelled call ends with the caller's own reason", async () => {
  const faults = [{ call: "talos machine.MachineService/Version", kind: "hang" as const }];
  await using lab = await talosLab({ endpoint, faults });
  lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  const cancel = new AbortController();
  const call = lab.connectMaintenance(address).version({ signal: cancel.signal });
  cancel.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
});

async function allText(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all).toString();
}

test("probe() tells what probeTalos() tells, and its connection to a node of ours serves the calls after it", async () => {
  await using lab = await talosLab({ endpoint });
  const dialled: number[] = [];
  const at = { address, clock: realClock, identity: { ca: lab.secrets.os.cert, ...lab.admin } };
  const connect = (identity = at.identity) =>
    connectTalos({
      ...at,
      identity,
      dial: (to, signal) => (dialled.push(to.port), lab.network.dial(to, signal)),
    });
  expect(await connect().probe()).toMatchObject({ state: "unreachable" });
  lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  expect(await connect().probe()).toMatchObject({ state: "maintenance" });
  expect(await lab.connectMaintenance(address).probe()).toMatchObject({ state: "maintenance" });
  const config = lab.configFor({ name: "cp-1", address, role: "control-plane" });
  await lab.connectMaintenance(address).applyConfig(config);
  await untilProbe(lab, address, "ours");
  await using stranger = await talosLab({ endpoint });
  expect(await connect({ ca: stranger.secrets.os.cert, ...stranger.admin }).probe()).toEqual({
    state: "other-cluster",
  });
  dialled.length = 0;
  const node = connect();
  expect(await node.probe()).toEqual({ state: "ours" });
  await node.version();
  expect(dialled).toHaveLength(1);
  node.close();
});
