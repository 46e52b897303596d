import { createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { bringUp, talosLab, until } from "../../../../test/support/talos/lab.ts";
import { createCaller, type Caller } from "../wire/caller.ts";
import { ImageService, LifecycleService } from "../gen/lifecycle_pb.ts";
import { MachineService } from "../gen/machine_pb.ts";
import { hasLifecycleService } from "./talos-version.ts";
import { upgrade } from "./upgrade.ts";
import { CallTrace, realClock } from "../../../lib/index.ts";

const address = "127.47.0.2";
const endpoint = `https://${address}:6443`;
const solo = { name: "cp-1", address, role: "control-plane" as const };
const installer = (version: string) => `factory.talos.dev/nocloud-installer/${"a".repeat(64)}:v${version}`;

test("upgrade() writes the new system by the newer services, and leaves the reboot to whoever wants to drain", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, [solo]);
  const client = lab.connect(address);
  const said: string[] = [];
  const result = await client.upgrade(installer("1.14.1"), {
    reboots: false,
    onProgress: (message) => said.push(message),
  });
  expect(result).toEqual({ method: "lifecycle", isRebooting: false, actorId: "" });
  expect(said.at(-1)).toBe("installation is complete");
  expect((await client.version()).version).toBe("1.13.9");
  expect((await client.images()).map(({ name }) => name)).toContain(installer("1.14.1"));
  await client.reboot({ mode: "powercycle" });
  await until(async () => (await client.version().catch(() => undefined))?.version === "1.14.1");
  await client.rollback();
  await until(async () => (await client.version().catch(() => undefined))?.version === "1.13.9");
});

test("upgrade() makes the one older call on Talos up to 1.12, and when asked to stage", async () => {
  await using lab = await talosLab({ endpoint, version: "1.12.6" });
  await bringUp(lab, [solo]);
  const client = lab.connect(address);
  await client.pullImage("registry.k8s.io/pause:3.10", { namespace: "cri" });
  expect(await client.images({ namespace: "cri" })).toMatchObject([{ name: "registry.k8s.io/pause:3.10" }]);
  const result = await client.upgrade(installer("1.12.7"), { isStaged: true });
  expect(result).toMatchObject({ method: "legacy", isRebooting: true });
  await until(async () => (await client.version().catch(() => undefined))?.version === "1.12.7");
  expect(lab.calls.filter((call) => /Image|Lifecycle/.test(call))).toEqual([
    "talos machine.MachineService/ImagePull",
    "talos machine.MachineService/ImageList",
  ]);
});

test("upgrade() gives the installer minutes to be fetched, where the caller names no limit", async () => {
  const transport = createRouterTransport(({ service }) => {
    service(MachineService, { version: () => ({ messages: [{ version: { tag: "v1.13.9" } }] }) });
    service(ImageService, {
      async *pull() {
        yield { response: { case: "name" as const, value: installer("1.13.10") } };
      },
    });
    service(LifecycleService, {
      async *upgrade() {
        yield { progress: { response: { case: "exitCode" as const, value: 0 } } };
      },
    });
  });
  const limits = { callTimeoutMs: 5_000, stallTimeoutMs: 5_000 };
  const caller = createCaller(transport, address, realClock, new CallTrace(), limits);
  const given = new Map<string, number | undefined>();
  const watched: Caller = {
    ...caller,
    call(service, method, options, work) {
      given.set(method, options.timeoutMs);
      return caller.call(service, method, options, work);
    },
  };
  await upgrade(watched, installer("1.13.10"), { reboots: false });
  for (const method of ["Pull", "Upgrade"]) expect(given.get(method), method).toBeGreaterThan(60_000);
});

test("upgrade() makes the older call when a node does not know the newer services after all", async () => {
  const upgrades: string[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(MachineService, {
      version: () => ({ messages: [{ version: { tag: "v1.13.0" } }] }),
      upgrade({ image }) {
        upgrades.push(image);
        return { messages: [{ actorId: "actor" }] };
      },
    });
  });
  const caller = createCaller(transport, address, realClock, new CallTrace(), {
    callTimeoutMs: 1_000,
    stallTimeoutMs: 1_000,
  });
  expect(await upgrade(caller, "some/installer:v1.13.1")).toEqual({
    method: "legacy",
    isRebooting: true,
    actorId: "actor",
  });
  expect(upgrades).toEqual(["some/installer:v1.13.1"]);
});

test("upgrade() makes no other call when pulling the installer fails", async () => {
  const faults = [{ call: "talos machine.ImageService/Pull", kind: "error" as const }];
  await using lab = await talosLab({ endpoint, faults });
  await bringUp(lab, [solo]);
  const client = lab.connect(address);
  await expect(client.upgrade(installer("1.13.10"))).rejects.toMatchObject({ code: "TALOS_CALL_FAILED" });
  expect(lab.calls).not.toContain("talos machine.MachineService/Upgrade");
});

test("upgrade() tells what an installer that failed said", async () => {
  await using lab = await talosLab({ endpoint, version: "1.13.9" });
  await bringUp(lab, [solo]);
  await expect(lab.connect(address).upgrade(installer("1.16.0"))).rejects.toMatchObject({
    code: "TALOS_INSTALLER_FAILED",
    why: "the installer ended with code 1: host version 1.13.9 is too old to upgrade to Talos 1.16.0",
  });
});

test("a new system that does not start leaves the old one running", async () => {
  const faults = [{ call: "talos boot 1.13.10", kind: "die" as const }];
  await using lab = await talosLab({ endpoint, faults });
  await bringUp(lab, [solo]);
  const client = lab.connect(address);
  const before = await client.bootId();
  await client.upgrade(installer("1.13.10"));
  await until(async () => (await client.bootId().catch(() => before)) !== before);
  expect((await client.version()).version).toBe("1.13.9");
  await client.upgrade(installer("1.13.10"));
  await until(async () => (await client.version().catch(() => undefined))?.version === "1.13.10");
});

test("the older call refuses to upgrade one of two etcd members, unless it is forced", async () => {
  await using lab = await talosLab({ endpoint, version: "1.12.6" });
  await bringUp(lab, [solo, { name: "cp-2", address: "127.47.0.3", role: "control-plane" }]);
  const client = lab.connect("127.47.0.3");
  await expect(client.upgrade(installer("1.12.7"))).rejects.toMatchObject({
    code: "TALOS_PRECONDITION",
    why: expect.stringContaining("member count 2") as unknown,
  });
  await client.upgrade(installer("1.12.7"), { isForced: true });
  await until(async () => (await client.version().catch(() => undefined))?.version === "1.12.7");
});

test("memory, clock, addresses and files of a node can be read", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, [solo]);
  const client = lab.connect(address);
  expect(await client.memory()).toEqual({ totalMiB: 4096, availableMiB: 3072 });
  const { server, localMs, remoteMs } = await client.time({ server: "10.0.0.1" });
  expect([server, Math.abs(localMs - remoteMs) < 2_000]).toEqual(["10.0.0.1", true]);
  expect(await client.addresses()).toContainEqual({
    link: "eth0",
    cidr: `${address}/24`,
    family: "inet4",
  });
  expect(await client.bootId()).toMatch(/^[0-9a-f-]{36}$/);
  await expect(client.readFile("/etc/shadow")).rejects.toMatchObject({
    code: "TALOS_NOT_FOUND",
    what: `Cannot call MachineService/Read on ${address}`,
  });
  await client.restartService("kubelet");
  await expect(client.restartService("nothing")).rejects.toMatchObject({ code: "TALOS_CALL_FAILED" });
  expect(await client.hostname()).toBe("cp-1");
});

test.each([
  ["1.12.11", false],
  ["1.13.0-alpha.2", false],
  ["1.13.0-beta.0", true],
  ["1.13.0", true],
  ["1.14.1", true],
])("hasLifecycleService() of %s is %s", (version, has) => {
  expect(hasLifecycleService(version)).toBe(has);
});
