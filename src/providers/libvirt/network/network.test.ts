import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import { libvirtCluster, libvirtHostNamed, stepContext } from "../../../../test/support/libvirt/site.ts";
import { openLibvirt, type LibvirtClient } from "../../../clients/libvirt/index.ts";
import { hostRegistry, type HostRegistry } from "../host-registry.ts";
import { machineXml } from "../machine/machine-xml.ts";
import { libvirtNetwork, ownNetworks } from "./network.ts";
import { describeLeftoverNetworks, describeNetwork, type NetworkWant } from "./network-want.ts";
import { networkXml } from "./network-xml.ts";
import { plainMachine } from "../../../../test/support/libvirt/machines.ts";
import { peers } from "../../../../test/support/peers.ts";

const prefix = "slipway-test-net";
const host = libvirtHostNamed("desk");
const ctx = stepContext();

const wanted = (changes: Partial<NetworkWant> = {}): NetworkWant => {
  const cluster = libvirtCluster(prefix, {
    cidr: "10.213.7.0/24",
    libvirt: { kind: "create", name: prefix, mode: "nat", hasReservations: true },
  });
  const [node] = describeNetwork(cluster, [host]);
  return { ...(node?.want as NetworkWant), ...changes };
};

test("describeNetwork() makes nothing where the file names a network that exists", () => {
  expect(
    describeNetwork(libvirtCluster("lab", { libvirt: { kind: "network", name: "default" } }), [host]),
  ).toEqual([]);
  expect(describeNetwork(libvirtCluster("lab", {}), [host])).toEqual([]);
});

test("describeNetwork() gives the host the gateway's address and keeps the nodes' addresses for them", () => {
  expect(wanted()).toMatchObject({
    name: prefix,
    address: { address: "10.213.7.1", prefix: 24 },
    reservations: [{ address: "10.213.7.11", name: "cp-1" }],
  });
});

describe.skipIf(libvirtSocket === undefined)(`on a real daemon (${withoutLibvirt})`, peers, () => {
  let client: LibvirtClient;
  let registry: HostRegistry;
  const network = () => libvirtNetwork(registry, "0.1.0");

  beforeAll(async () => {
    client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
    registry = hostRegistry([host], async () => client);
    await cleanUp();
  });
  afterEach(cleanUp);
  afterAll(() => client.close());

  async function cleanUp(): Promise<void> {
    for (const domain of await client.domains()) {
      if (!domain.name.startsWith(prefix)) continue;
      await client.destroyDomain(domain).catch(() => undefined);
      await client.undefineDomain(domain);
    }
    for (const each of await client.networks()) {
      if (!each.name.startsWith(prefix)) continue;
      await client.destroyNetwork(each).catch(() => undefined);
      await client.undefineNetwork(each);
    }
  }

  test("a network comes up, is found again as wanted, and goes without a trace", async () => {
    const resource = network();
    // Networks of other tests come and go meanwhile.
    const ownHere = async () =>
      (await ownNetworks(ctx, client, "desk")).filter(({ cluster }) => cluster === prefix);
    expect(await resource.read(ctx, wanted())).toBeUndefined();
    await resource.create(ctx, wanted());
    const have = await resource.read(ctx, wanted());
    if (!have) throw new Error("the network is not there");
    expect(have).toMatchObject({ isActive: true, found: { mode: "nat", mark: { cluster: prefix } } });
    expect(resource.compare(wanted(), have)).toEqual({ same: true });

    const own = await ownHere();
    expect(own).toEqual([{ host: "desk", cluster: prefix, name: prefix }]);
    const [leftovers] = describeLeftoverNetworks(own, []);
    const removing = await resource.read(ctx, leftovers?.want as NetworkWant);
    if (!removing) throw new Error("the network is not found by its mark");
    await resource.remove(ctx, removing);
    expect(await ownHere()).toEqual([]);
  });

  test("addresses are kept for new nodes while the network runs, also when two have swapped theirs", async () => {
    const resource = network();
    const [one, two] = ["52:54:00:13:07:01", "52:54:00:13:07:02"];
    const first = wanted({
      reservations: [
        { mac: one, name: "cp-1", address: "10.213.7.11" },
        { mac: two, name: "cp-2", address: "10.213.7.12" },
      ],
    });
    const have = await resource.create(ctx, first);
    const bridge = have.found.bridge;
    const swapped = wanted({
      reservations: [
        { mac: one, name: "cp-1", address: "10.213.7.12" },
        { mac: two, name: "cp-2", address: "10.213.7.11" },
        { mac: "52:54:00:13:07:03", name: "worker-1", address: "10.213.7.21" },
      ],
    });
    expect(resource.compare(swapped, have)).toMatchObject({ action: "update", consequence: "hot" });
    await resource.update(ctx, swapped, have);
    const after = await resource.read(ctx, swapped);
    expect(after && resource.compare(swapped, after)).toEqual({ same: true });
    expect(after?.found.bridge).toBe(bridge);
  });

  test("a network that somebody has stopped is started, one of another kind is built anew", async () => {
    const resource = network();
    await resource.create(ctx, wanted());
    await client.destroyNetwork(await client.findNetwork(prefix));
    const isolated = wanted({ mode: "isolated", mtu: 1400, reservations: [] });
    const have = await resource.read(ctx, isolated);
    if (!have) throw new Error("the network is not there");
    expect(resource.compare(isolated, have)).toMatchObject({
      fields: [
        { field: "state", from: "stopped", to: "running" },
        { field: "mode", from: "nat", to: "isolated" },
        { field: "mtu", from: "1500", to: "1400" },
        { field: "reservations", to: "none" },
      ],
    });
    const made = await resource.update(ctx, isolated, have);
    expect(resource.compare(isolated, made)).toEqual({ same: true });
  });

  test("a network of that name that is not ours is neither touched nor removed", async () => {
    const resource = network();
    const mark = { cluster: `${prefix}-other`, slipway: "" };
    const { address } = wanted();
    const foreign = {
      name: prefix,
      uuid: "51199a70-0000-4000-8000-000000000213",
      mark,
      mode: "nat",
      address,
    } as const;
    await client.defineNetwork(networkXml(foreign));
    expect(await resource.read(ctx, wanted())).toBeUndefined();
    await expect(resource.create(ctx, wanted())).rejects.toMatchObject({
      code: "LIBVIRT_NETWORK_FOREIGN",
      why: `there is one of that name already, of cluster "${prefix}-other"`,
    });
    await resource.remove(ctx, {
      host: "desk",
      cluster: prefix,
      name: prefix,
      isActive: false,
      found: { name: prefix, uuid: "", mode: "nat", reservations: [] },
    });
    expect((await client.networks()).map(({ name }) => name)).toContain(prefix);
  });

  test("says who has the subnet already", async () => {
    const resource = network();
    await resource.create(ctx, wanted());
    const second = wanted({ name: `${prefix}-2`, cluster: `${prefix}-2` });
    await expect(resource.create(ctx, second)).rejects.toMatchObject({
      code: "LIBVIRT_SUBNET_IN_USE",
      why: expect.stringMatching(
        /^10\.213\.7\.1\/24 is already that of network "slipway-test-net" \(virbr\d+\)$/,
      ),
    });
  });

  test("a network in which machines run is not stopped under them", async () => {
    const resource = network();
    const have = await resource.create(ctx, wanted());
    const {
      seed: _seed,
      consoleLog: _log,
      ...machine
    } = plainMachine({
      name: `${prefix}-guest`,
      uuid: "51199a70-0000-4000-8000-000000000214",
      memoryMiB: 32,
      disks: [],
      nics: [{ mac: "52:54:00:13:07:09", kind: "network", source: prefix }],
    });
    const domain = await client.defineDomain(machineXml(machine));
    await client.startDomain(domain);
    const inUse = { code: "LIBVIRT_NETWORK_IN_USE", why: `${prefix}-guest runs in it and would be cut off` };
    await expect(resource.remove(ctx, have)).rejects.toMatchObject(inUse);
    await expect(resource.update(ctx, wanted({ mode: "isolated" }), have)).rejects.toMatchObject(inUse);
    expect(await client.isNetworkActive(await client.findNetwork(prefix))).toBe(true);
  });
});
