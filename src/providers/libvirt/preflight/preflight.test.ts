import { chmodSync, mkdirSync, rmSync } from "node:fs";
import nodePath from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { plainMachine } from "../../../../test/support/libvirt/machines.ts";
import { libvirtCluster, libvirtHostNamed, stepContext } from "../../../../test/support/libvirt/site.ts";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import { emptySurvey } from "../../../../test/support/proxmox/site.ts";
import { openLibvirt, type LibvirtClient } from "../../../clients/libvirt/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { machineImage } from "../../../images/index.ts";
import type { Check, Finding, Survey } from "../../../plan/index.ts";
import type { Cluster, LibvirtHost } from "../../../spec/index.ts";
import { hostRegistry } from "../host-registry.ts";
import { machineXml } from "../machine/machine-xml.ts";
import { libvirtNetwork } from "../network/network.ts";
import { describeNetwork, type NetworkWant } from "../network/network-want.ts";
import { poolXml } from "../pool/pool-xml.ts";
import { volumeXml } from "../pool/volume-xml.ts";
import { isBefore } from "./daemon.ts";
import { preflightChecks } from "./index.ts";
import { sharesAddresses } from "./networks.ts";
import { peers } from "../../../../test/support/peers.ts";

const prefix = "slipway-test-pre";
const path = `/var/lib/libvirt/${prefix}`;
const ctx = stepContext();

const survey = (host: LibvirtHost, memoryMiB = 8192): Survey =>
  emptySurvey({
    hosts: [
      {
        host: host.name,
        realm: host.name,
        software: "libvirt",
        cores: 4,
        memoryMiB,
        memoryUsedMiB: 0,
        memoryPromisedMiB: 0,
        coresPromised: 0,
        storages: [],
      },
    ],
  });

/** What each check finds, by its id. */
async function look(
  connect: () => Promise<LibvirtClient>,
  cluster: Cluster,
  host: LibvirtHost,
  seen: Survey = survey(host),
): Promise<Record<string, Finding>> {
  const checks = checksOf(connect, cluster, host, seen);
  const found = await Promise.all(checks.map(async (check) => [check.id, await check.run(ctx)] as const));
  return Object.fromEntries(found);
}

function checksOf(
  connect: () => Promise<LibvirtClient>,
  cluster: Cluster,
  host: LibvirtHost,
  seen: Survey,
): Check[] {
  const registry = hostRegistry([host], connect);
  const placed = cluster.nodes.map((node) => ({ node, host }));
  const wanted = { cluster, placed, survey: seen, all: new Map([[cluster.name, placed]]) };
  return preflightChecks(registry, wanted, {});
}

test("sharesAddresses() knows networks of different sizes", () => {
  expect(sharesAddresses("10.7.0.1/23", "10.7.1.0/24")).toBe(true);
  expect(sharesAddresses("10.7.0.1/24", "10.7.1.0/24")).toBe(false);
  expect(sharesAddresses("192.168.122.1/24", "192.168.122.0/24")).toBe(true);
});

test("isBefore() compares versions by their numbers", () => {
  expect(isBefore("5.10.0", "6.0.0")).toBe(true);
  expect(isBefore("10.0.0", "6.0.0")).toBe(false);
  expect(isBefore("6.0.0", "6.0.0")).toBe(false);
});

describe("preflightChecks() tells once why a host cannot be used:", () => {
  const refusing = (code: string) => async (): Promise<LibvirtClient> => {
    throw new SlipwayError({ code, what: "Cannot reach it", why: "so", next: "do" });
  };

  test.each([
    ["LIBVIRT_NOT_RUNNING", "libvirt-connection"],
    ["SSH_HOST_KEY_CHANGED", "libvirt-connection"],
    ["LIBVIRT_SOCKET_DENIED", "libvirt-permission"],
    ["SSH_LOGIN_REFUSED", "libvirt-permission"],
  ])("%s by %s", async (code, teller) => {
    const found = await look(refusing(code), libvirtCluster(prefix, {}), libvirtHostNamed("desk"));
    const failures = Object.entries(found).filter(([, { status }]) => status === "failed");
    expect(failures).toMatchObject([[teller, { error: { code, at: { line: 3 } } }]]);
    const { "libvirt-pool": pool } = found;
    expect(pool).toEqual({ status: "skipped", because: teller });
  });
});

test("preflightChecks() miss an image file that is not here, until the host has the image", async () => {
  const plain = libvirtCluster(prefix, {});
  const file = nodePath.join(import.meta.dirname, "nowhere.qcow2");
  const cluster = { ...plain, distribution: { ...plain.distribution, image: { file } } };
  const host = libvirtHostNamed("desk");
  const nobody = async (): Promise<LibvirtClient> => {
    throw new Error("no daemon is asked");
  };
  const lookFor = async (seen: Survey) => {
    const checks = checksOf(nobody, cluster, host, seen);
    return checks.find(({ id }) => id === "libvirt-image")?.run(ctx);
  };
  expect(await lookFor(survey(host))).toMatchObject({
    status: "failed",
    error: { code: "IMAGE_FILE_MISSING" },
  });
  const { fileName } = machineImage(cluster);
  expect(
    await lookFor({ ...survey(host), images: [{ host: host.name, storage: prefix, file: fileName }] }),
  ).toBeUndefined();
});

describe.skipIf(libvirtSocket === undefined)(`on a real daemon (${withoutLibvirt})`, peers, () => {
  let client: LibvirtClient;
  const connect = async () => client;
  const host = libvirtHostNamed("desk", { name: prefix, path });
  const own = (name = prefix) =>
    libvirtCluster(name, {
      cidr: "10.213.9.0/24",
      libvirt: { kind: "create", name, mode: "isolated" },
    });

  beforeAll(async () => {
    client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
    await cleanUp();
  });
  afterEach(cleanUp);
  afterAll(() => client.close());

  async function cleanUp(): Promise<void> {
    for (const domain of await client.domains()) {
      if (domain.name.startsWith(prefix)) await client.undefineDomain(domain);
    }
    for (const each of await client.networks()) {
      if (!each.name.startsWith(prefix)) continue;
      await client.destroyNetwork(each).catch(() => undefined);
      await client.undefineNetwork(each);
    }
    for (const each of await client.pools()) {
      if (!each.name.startsWith(prefix)) continue;
      await client.destroyPool(each).catch(() => undefined);
      await client.undefinePool(each);
    }
    rmSync(path, { recursive: true, force: true });
  }

  async function makePool(): Promise<void> {
    const pool = await client.definePool(poolXml({ name: prefix, kind: "dir", path }));
    await client.buildPool(pool);
    await client.startPool(pool);
  }

  test("all is well on a host where everything is made", async () => {
    await makePool();
    const found = await look(connect, own(), host);
    const troubles = Object.entries(found).filter(([, { status }]) => status === "failed");
    expect(troubles).toEqual([]);
    expect(found).toMatchObject({
      "libvirt-connection": { status: "ok", needed: "qemu:///system" },
      "libvirt-architecture": { status: "ok", needed: "x86_64" },
      "libvirt-pool": { status: "ok", found: path },
      "libvirt-pool-folder": { status: "ok", found: "open to it" },
      "libvirt-network": { status: "ok", found: "nothing yet: it is made" },
      "libvirt-memory": { needed: "2 GiB", found: "8 GiB free of 8 GiB × 1.0" },
    });
  });

  test("a host that only emulates is warned of, with the way out", async () => {
    // As this very host answers when it has no /dev/kvm.
    const capabilities = (await client.capabilities()).replaceAll(
      /<domain type='kvm'(?:\/>|>.*?<\/domain>)/gs,
      "",
    );
    const registry = hostRegistry([host], async () => ({
      ...client,
      capabilities: async () => capabilities,
    }));
    const cluster = own();
    const placed = cluster.nodes.map((node) => ({ node, host }));
    const wanted = { cluster, placed, survey: survey(host), all: new Map() };
    const check = preflightChecks(registry, wanted, {}).find(({ id }) => id === "libvirt-kvm");
    const found = await check?.run(ctx);
    expect(found).toMatchObject({ status: "warned", needed: "KVM" });
    expect(found?.found).toMatch(/^emulation only, ten times slower or worse: no usable \/dev\/kvm/);
  });

  test("what is missing is told at once, each with its fix", async () => {
    const cluster = libvirtCluster(prefix, { cidr: "10.213.9.0/24", bridge: "br-none" });
    const found = await look(
      connect,
      cluster,
      libvirtHostNamed("desk", { name: `${prefix}-none` }),
      survey(host, 1024),
    );
    expect(found).toMatchObject({
      "libvirt-pool": { status: "failed", error: { code: "LIBVIRT_NO_SUCH_POOL" } },
      "libvirt-space": { status: "skipped", because: "libvirt-pool" },
      "libvirt-interface": { status: "failed", error: { code: "LIBVIRT_INTERFACE_MISSING" } },
      "libvirt-memory": {
        status: "failed",
        error: { code: "LIBVIRT_MEMORY_SHORT", why: "needs 2 GiB, 1 GiB free of 1 GiB × 1.0" },
      },
    });
  });

  test("a card is no bridge, and can be shared", async () => {
    const found = await look(connect, libvirtCluster(prefix, { bridge: "lo" }), host);
    expect(found["libvirt-interface"]).toMatchObject({ error: { code: "LIBVIRT_NOT_A_BRIDGE" } });
    const shared = libvirtCluster(prefix, { libvirt: { kind: "macvtap", device: "lo" } });
    expect((await look(connect, shared, host))["libvirt-interface"]).toMatchObject({ status: "ok" });
  });

  test("networks that exist are looked at: missing, stopped, of other addresses", async () => {
    const named = (name: string, cidr: string) =>
      libvirtCluster(prefix, { cidr, libvirt: { kind: "network", name } });
    const code = async (cluster: Cluster) => (await look(connect, cluster, host))["libvirt-network"];
    expect(await code(named(`${prefix}-none`, "10.213.9.0/24"))).toMatchObject({
      error: { code: "LIBVIRT_NETWORK_MISSING" },
    });
    const registry = hostRegistry([host], connect);
    const [node] = describeNetwork(own(), [host]);
    const made = await libvirtNetwork(registry, "0.1.0").create(ctx, node?.want as NetworkWant);
    expect(await code(named(prefix, "10.213.9.0/24"))).toMatchObject({ status: "ok" });
    expect(await code(named(prefix, "10.214.0.0/24"))).toMatchObject({
      error: { code: "LIBVIRT_NETWORK_OTHER_CIDR", why: "the network is 10.213.9.1/24" },
    });
    const onBridge = libvirtCluster(prefix, { bridge: made.found.bridge ?? "" });
    expect((await look(connect, onBridge, host))["libvirt-interface"]).toMatchObject({ status: "ok" });
    expect(await code(own(`${prefix}-2`))).toMatchObject({
      error: { code: "LIBVIRT_SUBNET_IN_USE", why: `10.213.9.0/24 is already that of network "${prefix}"` },
    });
    await client.destroyNetwork(await client.findNetwork(prefix));
    expect(await code(named(prefix, "10.213.9.0/24"))).toMatchObject({
      error: { code: "LIBVIRT_NETWORK_STOPPED" },
    });
  });

  test("a pool below a closed folder is refused before QEMU is", async () => {
    mkdirSync(`${path}/home`, { recursive: true });
    chmodSync(`${path}/home`, 0o700);
    const closed = libvirtHostNamed("desk", { name: prefix, path: `${path}/home/pool` });
    const found = await look(connect, own(), closed);
    expect(found["libvirt-pool-folder"]).toMatchObject({
      error: {
        code: "LIBVIRT_FOLDER_CLOSED",
        why: `${path}/home has mode 0700: QEMU runs as a user of its own, who cannot enter it`,
      },
    });
    const home = ["", "home", "ops", "pool"].join("/");
    const there = libvirtHostNamed("far", { name: `${prefix}-far`, path: home });
    const far = { ...there, libvirt: { ...there.libvirt, uri: "qemu+ssh://ops@192.0.2.9/system" } };
    expect((await look(connect, own(), far))["libvirt-pool-folder"]).toMatchObject({
      error: { code: "LIBVIRT_FOLDER_CLOSED" },
    });
  });

  test("machines and volumes of others keep their names", async () => {
    await makePool();
    const pool = await client.findPool(prefix);
    const volume = { name: `${prefix}-cp-1.qcow2`, format: "qcow2", capacityBytes: 2 ** 20 } as const;
    await client.createVolume(pool, volumeXml(volume));
    const machine = plainMachine({
      name: `${prefix}-cp-1`,
      uuid: "51199a70-0000-4000-8000-000000000219",
      mark: { cluster: "other", node: "cp-9", role: "worker", image: "", slipway: "" },
    });
    await client.defineDomain(machineXml(machine));
    const found = await look(connect, own(), host);
    expect(found["libvirt-names"]).toMatchObject({
      error: {
        code: "LIBVIRT_NAME_TAKEN",
        why: `${prefix}-cp-1 for cp-1 is node cp-9 of cluster other; ${prefix}-cp-1.qcow2 for cp-1 is a volume in pool "${prefix}" that no machine of ours has`,
      },
    });
  });

  test("disks that cannot fit are told with the numbers", async () => {
    await makePool();
    const cluster = own();
    const nodes = cluster.nodes.map((node) => ({ ...node, diskGiB: 500_000 }));
    const found = await look(connect, { ...cluster, nodes }, host);
    expect(found["libvirt-space"]).toMatchObject({
      status: "failed",
      needed: `500002 GiB in ${prefix}`,
      error: { code: "LIBVIRT_SPACE_SHORT" },
    });
  });

  test("firmware is asked for only where a machine needs it", async () => {
    const plain = own();
    expect(await look(connect, plain, host)).not.toHaveProperty("libvirt-firmware");
    const nodes = plain.nodes.map((node) => ({
      ...node,
      hardware: { firmware: "uefi" as const, tpm: true },
    }));
    const found = await look(connect, { ...plain, nodes }, host);
    expect(found["libvirt-firmware"]).toMatchObject({ needed: "UEFI, TPM" });
  });
});
