import { expect, test } from "vitest";
import { SlipwayError } from "../../errors/index.ts";
import { testTime } from "../../../test/support/test-time.ts";
import { bringUp, isoBoot, labImage, talosLab, until, untilProbe } from "../../../test/support/talos/lab.ts";

const address = "127.45.0.2";
const endpoint = `https://${address}:6443`;
const solo = { name: "cp-1", address, role: "control-plane" as const };

test("a node in maintenance up to 1.12 has a small server of its own", async () => {
  await using lab = await talosLab({ endpoint, version: "1.12.6" });
  lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  const client = lab.connectMaintenance(address);
  await expect(client.version()).rejects.toMatchObject({
    code: "TALOS_UNIMPLEMENTED",
    why: "API is not implemented in maintenance mode",
  });
  await expect(client.services()).rejects.toMatchObject({ why: "method ServiceList not implemented" });
  await expect(client.bootstrap()).rejects.toMatchObject({ why: "method Bootstrap not implemented" });
  expect(await client.disks()).toHaveLength(1);
  const config = lab.configFor(solo);
  await expect(client.applyConfig(config, { mode: "no-reboot" })).rejects.toMatchObject({
    code: "TALOS_UNIMPLEMENTED",
  });
  const dryRun = await client.applyConfig(config, { isDryRun: true });
  expect(dryRun.details).toContain("does not have a config yet");
});

test("a node in maintenance from 1.13 on is the ordinary API, read by anybody", async () => {
  await using lab = await talosLab({ endpoint });
  lab.start("cp-1", address);
  await untilProbe(lab, address, "maintenance");
  const client = lab.connectMaintenance(address);
  expect((await client.version()).version).toBe("1.13.9");
  await expect(client.reset({ isGraceful: false, reboots: true })).rejects.toMatchObject({
    code: "TALOS_DENIED",
  });
  const config = lab.configFor(solo);
  const dryRun = await client.applyConfig(config, { mode: "reboot", isDryRun: true });
  expect(dryRun).toMatchObject({ mode: "no-reboot" });
  expect(dryRun.details).toContain("+version: v1alpha1");
  expect(await client.applyConfig(config, { mode: "staged" })).toMatchObject({ mode: "staged" });
  await untilProbe(lab, address, "maintenance");
});

test("up to 1.13 a node reboots for what it cannot take while it runs, and says so before", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, [solo]);
  const client = lab.connect(address);
  const cold = lab.configFor(solo).replace("abcdef.0123456789abcdef", "fedcba.0123456789abcdef");
  const dryRun = await client.applyConfig(cold, { isDryRun: true });
  expect(dryRun).toMatchObject({ mode: "reboot" });
  expect(dryRun.details).toMatch(/-\s+token: abcdef\.0123456789abcdef\n\+\s+token: fedcba/);
  await expect(client.applyConfig(cold, { mode: "no-reboot" })).rejects.toMatchObject({
    code: "TALOS_CONFIG_INVALID",
    why: expect.stringMatching(
      /^this config change can't be applied in immediate mode\ndiff:\n--- a\n\+\+\+ b\n[^]*\n\+ +token: fedcba/,
    ) as unknown,
  });
  const before = await client.bootId();
  expect(await client.applyConfig(cold)).toMatchObject({ mode: "reboot" });
  await until(async () => (await client.bootId().catch(() => before)) !== before);
  expect(await client.machineConfig()).toBe(cold);
});

test("a config on trial is taken back when its time is up", async () => {
  await using lab = await talosLab({ endpoint, time: testTime() });
  await bringUp(lab, [solo]);
  const client = lab.connect(address);
  const before = await client.machineConfig();
  const labels = { zone: "b" };
  const trial = lab.configFor({ ...solo, labels });
  expect(await client.applyConfig(trial, { mode: "try", tryTimeoutMs: 300 })).toMatchObject({ mode: "try" });
  expect(await client.machineConfig()).toBe(trial);
  await lab.until(async () => (await client.machineConfig()) === before);
});

test("from 1.14 on no config reboots a node", async () => {
  await using lab = await talosLab({ endpoint, version: "1.14.1" });
  await bringUp(lab, [solo]);
  const client = lab.connect(address);
  const cold = lab.configFor(solo).replace("abcdef.0123456789abcdef", "fedcba.0123456789abcdef");
  await expect(client.applyConfig(cold, { mode: "reboot" })).rejects.toMatchObject({
    code: "TALOS_UNIMPLEMENTED",
  });
  const before = await client.bootId();
  expect(await client.applyConfig(cold)).toMatchObject({ mode: "no-reboot" });
  expect(await client.bootId()).toBe(before);
  expect(before).toMatch(/^[0-9a-f]{8}-/);
  expect(lab.calls).not.toContain("talos machine.MachineService/Read");
});

test.each([
  ["1.13.9", "accepted and lost", "no error"],
  ["1.14.1", "refused", "TALOS_NOT_YET"],
])("a Bootstrap of %s before the reboot that ends the installation is %s", async (version, _, outcome) => {
  await using lab = await talosLab({ endpoint, version, latencies: { installMs: 700 }, time: testTime() });
  lab.start("cp-1", address, { boot: isoBoot(labImage(version, "iso")) });
  await untilProbe(lab, address, "maintenance");
  const installImage = `factory.talos.dev/nocloud-installer/aa:v${version}`;
  await lab.connectMaintenance(address).applyConfig(lab.configFor({ ...solo, installImage }));
  await untilProbe(lab, address, "ours");
  const client = lab.connect(address);
  expect(await client.machineStatus()).toMatchObject({ stage: "installing" });
  expect(await client.systemDisk()).toBeUndefined();
  const thrown = await client.bootstrap().catch((error: unknown) => error);
  expect(thrown instanceof SlipwayError ? thrown.code : "no error").toBe(outcome);
  const before = await client.bootId();
  await lab.until(async () => (await client.bootId().catch(() => before)) !== before);
  const services = await client.services();
  expect(services.find(({ id }) => id === "etcd")).toMatchObject({ state: "Preparing" });
  expect(await client.systemDisk()).toBe("sda");
  expect(lab.guests.bootstraps()).toEqual({ lab: 0 });
  await client.bootstrap();
  await lab.until(async () => (await client.machineStatus().catch(() => undefined))?.isReady === true);
});

test("a node takes its name from the config, else from DHCP, else from its platform, else from itself", async () => {
  await using lab = await talosLab({ endpoint });
  const mac = "02:00:7f:2d:00:02";
  const lease = { cidr: `${address}/24`, hostname: "from-dhcp" };
  const seed = { hostname: "from-platform", addresses: [{ mac, dhcp: true }], nameservers: [] };
  const nameOf = async (nics: { mac: string; bridge: string; lease?: typeof lease }[], more: object) => {
    const node = lab.start(`node-${Math.random()}`, address, { nics, ...more });
    await untilProbe(lab, address, "maintenance");
    const name = await lab.connectMaintenance(address).hostname();
    await node.guest.stop();
    return name;
  };
  const nic = { mac, bridge: "vmbr0" };
  expect(await nameOf([{ ...nic, lease }], { seed })).toBe("from-dhcp");
  const unnamed = { cidr: lease.cidr } as typeof lease;
  expect(await nameOf([{ ...nic, lease: unnamed }], { seed })).toBe("from-platform");
  expect(await nameOf([{ ...nic, lease: unnamed }], { seed: undefined })).toMatch(
    /^talos-[0-9a-f]{3}-[0-9a-f]{3}$/,
  );
  lab.start("cp-1", address, { nics: [{ ...nic, lease }], seed });
  await untilProbe(lab, address, "maintenance");
  const config = lab.configFor(solo);
  await lab.connectMaintenance(address).applyConfig(config);
  await untilProbe(lab, address, "ours");
  expect(await lab.connect(address).hostname()).toBe("cp-1");
});

test("a machine whose whole disk was reset has nothing left to boot", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, [solo]);
  await lab.connect(address).reset({ isGraceful: false, reboots: true });
  await untilProbe(lab, address, "unreachable");
});
