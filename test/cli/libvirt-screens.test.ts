import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLibvirt, type LibvirtClient } from "../../src/clients/libvirt/index.ts";
import { procedures } from "../../src/clients/libvirt/wire/procedures.ts";
import { encode } from "../../src/clients/libvirt/wire/xdr.ts";
import { machineUuid } from "../../src/providers/libvirt/names.ts";
import { machineXml, networkXml, poolXml } from "../../src/providers/libvirt/index.ts";
import { expectGolden } from "../support/golden.ts";
import { plainMachine } from "../support/libvirt/machines.ts";
import {
  alteredDaemon,
  libvirtScreens,
  type Altered,
  type LibvirtSaid,
  type LibvirtScreens,
} from "../support/libvirt/screens.ts";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../support/libvirt/libvirtd.ts";
import { hasSshd, startSshd, withoutSshd, type TestSshd } from "../support/ssh/sshd.ts";
import { peers } from "../support/peers.ts";

const name = "slipway-test-seen";
const cidr = "10.213.32.0/24";

/** Every way a libvirt host can be unfit, each with the screen a person sees. Nothing is changed by any of them. */
const lab: LibvirtScreens = libvirtScreens(name, cidr);
afterAll(() => lab[Symbol.dispose]());

/** Whether this computer has it makes no difference. */
const withoutKvm = (text: string): string =>
  text.replace(
    /\n! Machines are emulated(?:.*\n {2}found [^]*?\n(?=\n|$)|.*(?:\n {2}needs KVM.*(?:\n {2}\S.*)*)?(?=\n))/,
    "",
  );

async function expectScreen(golden: string, said: LibvirtSaid, code: string): Promise<void> {
  const { code: exit, text } = await lab.screen("plan", said);
  expect([exit, text]).toEqual([1, expect.stringContaining(code)]);
  expectGolden(withoutKvm(text), import.meta.dirname, "testdata/libvirt", `${golden}.txt`);
}

test.each<[string, string, string]>([
  ["not-running", "qemu:///system?socket=/nowhere/libvirt-sock", "LIBVIRT_NOT_RUNNING"],
  ["ssh-no-key", "qemu+ssh://ops@127.0.0.1:1/system", "SSH_NO_KEY"],
  ["tls-unreadable", "qemu+tls://desk.lab/system?pkipath=/nowhere", "LIBVIRT_CERTIFICATE_UNREADABLE"],
])("plan shows what is wrong with the way to the host: %s", async (golden, uri, code) => {
  await expectScreen(golden, { uri }, code);
});

describe.skipIf(!hasSshd)(`through SSH (${withoutSshd})`, peers, () => {
  let sshd: TestSshd;
  beforeAll(async () => {
    sshd = await startSshd();
    copyFileSync(path.join(sshd.folder, "host_ecdsa"), path.join(lab.folder, "stranger"));
    writeFileSync(path.join(lab.folder, "known_hosts"), "");
    const [at = ""] = readFileSync(sshd.knownHostsFile, "utf8").split(" ");
    const key = readFileSync(`${sshd.keyFile}.pub`, "utf8").split(" ").slice(0, 2).join(" ");
    writeFileSync(path.join(lab.folder, "wrong_hosts"), `${at} ${key}\n`);
  });
  afterAll(() => sshd.stop());

  const uri = (parameters: Record<string, string>, user = "ops", port = sshd.port) =>
    `qemu+ssh://${user}@${sshd.host}:${port}/system?${new URLSearchParams(parameters).toString()}`;
  const key = () => ({ keyfile: sshd.keyFile });
  const beside = (file: string) => ({ known_hosts: path.join(lab.folder, file) });

  test.each<[string, () => Record<string, string>, string]>([
    ["ssh-host-unknown", () => ({ ...key(), ...beside("known_hosts") }), "SSH_HOST_UNKNOWN"],
    ["ssh-host-changed", () => ({ ...key(), ...beside("wrong_hosts") }), "SSH_HOST_KEY_CHANGED"],
    [
      "ssh-login-refused",
      () => ({ keyfile: path.join(lab.folder, "stranger"), known_hosts: sshd.knownHostsFile }),
      "SSH_LOGIN_REFUSED",
    ],
  ])("plan shows what is wrong: %s", async (golden, parameters, code) => {
    await expectScreen(golden, { uri: uri(parameters()) }, code);
  });

  test("plan shows that nobody listens, on the host or for libvirt", async () => {
    await expectScreen("ssh-unreachable", { uri: uri(key(), "ops", 1) }, "SSH_UNREACHABLE");
    const nowhere = { ...key(), known_hosts: sshd.knownHostsFile, socket: "/nowhere/libvirt-sock" };
    await expectScreen("ssh-no-socket", { uri: uri(nowhere, sshd.user) }, "LIBVIRT_NO_WAY_THROUGH_SSH");
  });
});

describe.skipIf(libvirtSocket === undefined)(`on a real daemon (${withoutLibvirt})`, peers, () => {
  let client: LibvirtClient;
  const folder = `/var/lib/libvirt/${name}`;

  beforeAll(async () => {
    client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
    await cleanUp();
    mkdirSync(`${folder}/closed`, { recursive: true });
    chmodSync(`${folder}/closed`, 0o700);
    await client.definePool(poolXml({ name: `${name}-off`, kind: "dir", path: `${folder}/off` }));
    const network = (more: string, third: number) => ({
      name: `${name}-${more}`,
      uuid: `51199a70-0000-4000-8000-0000000003${third}`,
      mark: { cluster: "other", slipway: "0.1.0" },
      mode: "isolated" as const,
      bridge: `virbr-seen${third}`,
      address: { address: `10.213.${third}.1`, prefix: 24 },
    });
    await client.defineNetwork(networkXml(network("off", 33)));
    await client.startNetwork(await client.defineNetwork(networkXml(network("on", 34))));
  });
  afterAll(async () => {
    await cleanUp();
    client.close();
  });

  async function cleanUp(): Promise<void> {
    const ours = <T extends { name: string }>(all: T[]): T[] =>
      all.filter((each) => each.name.startsWith(name));
    for (const each of ours(await client.domains())) await client.undefineDomain(each);
    for (const each of ours(await client.networks())) {
      await client.destroyNetwork(each).catch(() => undefined);
      await client.undefineNetwork(each);
    }
    for (const each of ours(await client.pools())) {
      await client.destroyPool(each).catch(() => undefined);
      await client.undefinePool(each);
    }
    rmSync(folder, { recursive: true, force: true });
  }

  test.each<[string, LibvirtSaid, string]>([
    ["pool-missing", { pool: `${name}-none` }, "LIBVIRT_NO_SUCH_POOL"],
    ["pool-stopped", { pool: `${name}-off` }, "LIBVIRT_POOL_STOPPED"],
    ["pool-elsewhere", { pool: `{ name: ${name}-off, path: ${folder}/x }` }, "LIBVIRT_POOL_ELSEWHERE"],
    ["pool-closed", { pool: `{ name: ${name}, path: ${folder}/closed/x }` }, "LIBVIRT_FOLDER_CLOSED"],
    ["network-missing", { network: `libvirt: { network: ${name}-none }` }, "LIBVIRT_NETWORK_MISSING"],
    ["network-stopped", { network: `libvirt: { network: ${name}-off }` }, "LIBVIRT_NETWORK_STOPPED"],
    ["network-cidr", { network: `libvirt: { network: ${name}-on }` }, "LIBVIRT_NETWORK_OTHER_CIDR"],
    ["bridge-missing", { network: "bridge: br-none" }, "LIBVIRT_INTERFACE_MISSING"],
    ["card-missing", { network: "libvirt: { macvtap: eno-none }" }, "LIBVIRT_INTERFACE_MISSING"],
    ["memory", { machine: ", nodes: { cp-1: { memory: 64TiB } }" }, "LIBVIRT_MEMORY_SHORT"],
    [
      "cores",
      { host: ", overcommit: { cores: 0.1 }", machine: ", nodes: { cp-1: { cores: 512 } }" },
      "LIBVIRT_CORES_PROMISED",
    ],
  ])("plan shows what is wrong: %s", async (golden, said, code) => {
    await expectScreen(golden, said, code);
  });

  /** Made by changing what the daemon answers: this one is neither old nor strict nor without firmware. */
  const system = { code: 45, message: "authentication unavailable: no polkit agent available" };
  const version = { payload: encode(procedures.libvirtVersion.result, { version: 4_002_000 }) };
  const text = (xml: string) => ({ payload: encode(procedures.capabilities.result, { text: xml }) });
  const bare = `<domainCapabilities><path>/usr/bin/qemu-system-x86_64</path><machine>pc-q35-7.2</machine>
    <arch>x86_64</arch><os supported='yes'/><devices/></domainCapabilities>`;
  const arm = "<capabilities><host><cpu><arch>aarch64</arch></cpu></host></capabilities>";
  test.each<[string, Altered, LibvirtSaid, string]>([
    ["denied", { [procedures.open.number]: { error: system } }, {}, "LIBVIRT_DENIED"],
    [
      "too-old",
      { [procedures.libvirtVersion.number]: version, [procedures.hypervisorVersion.number]: version },
      {},
      "LIBVIRT_TOO_OLD",
    ],
    ["no-emulator", { [procedures.capabilities.number]: text(arm) }, {}, "LIBVIRT_ARCHITECTURE_MISSING"],
    [
      "no-firmware",
      { [procedures.domainCapabilities.number]: text(bare) },
      { cluster: "    hardware: { firmware: uefi, tpm: true }\n" },
      "LIBVIRT_FIRMWARE_MISSING",
    ],
  ])("plan shows what is wrong with another daemon: %s", async (golden, altered, said, code) => {
    using daemon = await alteredDaemon(path.join(lab.folder, `${golden}-sock`), altered);
    await expectScreen(golden, { uri: `qemu:///system?socket=${daemon.socket}`, ...said }, code);
  });

  const machine = plainMachine({
    name: `${name}-cp-1`,
    uuid: machineUuid(name, "cp-1"),
    mark: { cluster: name, node: "cp-1", role: "control-plane", image: "", slipway: "" },
    disks: plainMachine().disks.map((disk) => ({
      ...disk,
      source: { kind: "file", path: `${folder}/off/${name}-cp-1.qcow2` },
    })),
  });
  const foreign = { ...machine, mark: { ...machine.mark, cluster: "other", node: "cp-9" } };
  test.each([
    ["disk-elsewhere", machine, "LIBVIRT_DISK_ELSEWHERE"],
    ["name-taken", foreign, "LIBVIRT_NAME_TAKEN"],
  ])("plan shows what is wrong with a machine that is there: %s", async (golden, there, code) => {
    const domain = await client.defineDomain(machineXml(there));
    try {
      await expectScreen(golden, {}, code);
    } finally {
      await client.undefineDomain(domain);
    }
  });

  test("plan shows that machines will be emulated", async () => {
    const kvm = (await client.capabilities()).replaceAll(/<domain type='kvm'(?:\/>|>[^]*?<\/domain>)/g, "");
    using daemon = await alteredDaemon(path.join(lab.folder, "emulated-sock"), {
      [procedures.capabilities.number]: text(kvm),
    });
    const { code, text: seen } = await lab.screen("plan", { uri: `qemu:///system?socket=${daemon.socket}` });
    expect(code).toBe(0);
    expectGolden(seen, import.meta.dirname, "testdata/libvirt/emulated.txt");
  });
});
