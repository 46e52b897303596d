import { SlipwayError } from "../../../errors/index.ts";
import type { LibvirtClient, Network } from "../../../clients/libvirt/index.ts";
import {
  defineResource,
  same,
  type Difference,
  type FieldChange,
  type ReadContext,
} from "../../../plan/index.ts";
import { dnsmasqMissing, networkForeign, networkInUse, subnetInUse } from "../errors.ts";
import type { HostRegistry } from "../host-registry.ts";
import { networkUuid } from "../names.ts";
import type { NetworkKey, NetworkWant } from "./network-want.ts";
import {
  networkXml,
  readNetwork,
  reservationXml,
  type FoundNetwork,
  type Reservation,
} from "./network-xml.ts";
import { readMachine } from "../machine/read-machine.ts";

export interface NetworkHave extends NetworkKey {
  found: FoundNetwork;
  isActive: boolean;
}

/** A network of libvirt that is a cluster's own. One of that name without its mark is not ours and stays. */
export const libvirtNetwork = (registry: HostRegistry, slipway: string) =>
  defineResource<NetworkWant, NetworkHave>({
    kind: "libvirt/network",
    face: ({ want }) => ({
      label: "network",
      planLine: { counted: "network", name: `${want.name} on ${want.host}` },
    }),

    read: async (ctx, want) => ownNetwork(ctx, await registry.client(want.host), want),

    compare: compareNetwork,

    async create(ctx, want) {
      const client = await registry.client(want.host);
      const other = await findNetwork(ctx, client, want.name);
      const owner = other?.found.mark?.cluster;
      if (other && owner !== want.cluster) {
        throw networkForeign({ host: want.host, network: want.name, owner });
      }
      return bringUp(ctx, client, want, slipway);
    },

    async update(ctx, want, have) {
      const client = await registry.client(want.host);
      const network = await client.findNetwork(want.name, ctx.signal);
      if (have.isActive && builtChanges(want, have.found).length === 0) {
        await changeReservations(ctx, client, network, have.found.reservations, want.reservations);
        return { ...have, found: { ...have.found, reservations: want.reservations } };
      }
      if (have.isActive) await stop(ctx, client, network, want.host);
      return bringUp(ctx, client, want, slipway);
    },

    async remove(ctx, have) {
      const client = await registry.client(have.host);
      const found = await findNetwork(ctx, client, have.name);
      if (found?.found.mark?.cluster !== have.cluster) return;
      if (found.isActive) await stop(ctx, client, found.network, have.host);
      await client.undefineNetwork(found.network, ctx.signal);
    },

    out: (have) => ({ network: have.name }),
  });

/** Networks on a host that carry our mark. */
export async function ownNetworks(
  ctx: ReadContext,
  client: LibvirtClient,
  host: string,
): Promise<NetworkKey[]> {
  const networks = await client.networks(ctx.signal);
  const found = await Promise.all(networks.map(({ name }) => findNetwork(ctx, client, name)));
  return found.flatMap((each) =>
    each?.found.mark ? [{ host, cluster: each.found.mark.cluster, name: each.found.name }] : [],
  );
}

async function ownNetwork(
  ctx: ReadContext,
  client: LibvirtClient,
  key: NetworkKey,
): Promise<NetworkHave | undefined> {
  const { host, cluster, name } = key;
  const found = await findNetwork(ctx, client, name);
  if (found?.found.mark?.cluster !== cluster) return undefined;
  return { host, cluster, name, found: found.found, isActive: found.isActive };
}

interface Seen {
  network: Network;
  found: FoundNetwork;
  isActive: boolean;
}

export async function findNetwork(
  ctx: Pick<ReadContext, "signal">,
  client: LibvirtClient,
  name: string,
): Promise<Seen | undefined> {
  const network = (await client.networks(ctx.signal)).find((each) => each.name === name);
  if (!network) return undefined;
  try {
    const [xml, isActive] = await Promise.all([
      client.networkXml(network, ctx.signal),
      client.isNetworkActive(network, ctx.signal),
    ]);
    return { network, found: readNetwork(xml), isActive };
  } catch (thrown) {
    // It was removed meanwhile.
    if (thrown instanceof SlipwayError && thrown.code === "LIBVIRT_NOT_FOUND") return undefined;
    throw thrown;
  }
}

function compareNetwork(want: NetworkWant, { found, isActive }: NetworkHave): Difference {
  const built = builtChanges(want, found);
  const [from, to] = [found.reservations, want.reservations].map(reservationText);
  const fields: FieldChange[] = [
    ...(isActive ? [] : [{ field: "state", from: "stopped", to: "running" }]),
    ...built,
    ...(from === to ? [] : [{ field: "reservations", from: from ?? "", to: to ?? "" }]),
  ];
  if (fields.length === 0) return same;
  // It has to stop for them, and everybody on it is cut off meanwhile.
  const consequence = isActive && built.length > 0 ? "disturb" : "hot";
  return { same: false, action: "update", consequence, fields };
}

/** What cannot be changed while it runs. */
function builtChanges(want: NetworkWant, found: FoundNetwork): FieldChange[] {
  const pairs: [string, unknown, unknown][] = [
    ["mode", found.mode, want.mode],
    ["address", addressText(found.address), addressText(want.address)],
    ["mtu", found.mtu ?? 1500, want.mtu ?? 1500],
  ];
  return pairs
    .filter(([, from, to]) => from !== to)
    .map(([field, from, to]) => ({ field, from: String(from), to: String(to) }));
}

const addressText = (of: NetworkWant["address"] | undefined): string =>
  of ? `${of.address}/${of.prefix}` : "none";

const reservationText = (all: Reservation[]): string =>
  all
    .map(({ mac, address, name = "" }) => `${address} for ${name || mac} (${mac})`)
    .toSorted()
    .join(", ") || "none";

/** The same UUID again changes the definition, also one that an interrupted run has left. */
async function bringUp(
  ctx: ReadContext,
  client: LibvirtClient,
  want: NetworkWant,
  slipway: string,
): Promise<NetworkHave> {
  const { host, cluster, name } = want;
  const network = await client.defineNetwork(
    networkXml({ ...want, uuid: networkUuid(cluster, name), mark: { cluster, slipway } }),
    ctx.signal,
  );
  await client.setNetworkStartsWithHost(network, true, ctx.signal);
  if (!(await client.isNetworkActive(network, ctx.signal))) {
    await client.startNetwork(network, ctx.signal).catch(async (thrown: unknown) => {
      throw await explainStart(ctx, client, want, thrown);
    });
  }
  return {
    host,
    cluster,
    name,
    found: readNetwork(await client.networkXml(network, ctx.signal)),
    isActive: true,
  };
}

async function explainStart(ctx: ReadContext, client: LibvirtClient, want: NetworkWant, thrown: unknown) {
  if (!(thrown instanceof SlipwayError)) return thrown;
  const { host, name: network, address } = want;
  if (/dnsmasq/i.test(thrown.why) && /find|exist|No such file/i.test(thrown.why)) {
    return dnsmasqMissing({ host, network, cause: thrown });
  }
  const nic = /in use by interface (\S+)/.exec(thrown.why)?.[1];
  if (nic === undefined) return thrown;
  const others = await Promise.all(
    (await client.networks(ctx.signal)).map(({ name }) => findNetwork(ctx, client, name)),
  );
  const owner = others.find((each) => each?.found.bridge === nic)?.found.name;
  const by = owner === undefined ? `the host's interface ${nic}` : `network "${owner}" (${nic})`;
  return subnetInUse({ host, network, subnet: addressText(address), by, cause: thrown });
}

/** Running machines lose their network with it, and get it back only when they are started again. */
async function stop(ctx: ReadContext, client: LibvirtClient, network: Network, host: string): Promise<void> {
  const running = (await client.domains(ctx.signal)).filter(({ id }) => id >= 0);
  const plugged = await Promise.all(
    running.map(async (domain) => {
      const { nics } = readMachine(await client.domainXml(domain, "running", ctx.signal));
      const isIn = nics.some(({ kind, source }) => kind === "network" && source === network.name);
      return isIn ? [domain.name] : [];
    }),
  );
  const machines = plugged.flat();
  if (machines.length > 0) throw networkInUse({ host, network: network.name, machines });
  await client.destroyNetwork(network, ctx.signal);
}

/** First out, then in: libvirt takes no address or name twice, and nodes may have swapped theirs. */
async function changeReservations(
  ctx: ReadContext,
  client: LibvirtClient,
  network: Network,
  have: Reservation[],
  want: Reservation[],
): Promise<void> {
  const words = (of: Reservation): string => reservationText([of]);
  const [had, wanted] = [new Set(have.map(words)), new Set(want.map(words))];
  for (const old of have.filter((each) => !wanted.has(words(each)))) {
    await client.changeReservation(network, "remove", reservationXml(old), ctx.signal);
  }
  for (const added of want.filter((each) => !had.has(words(each)))) {
    await client.changeReservation(network, "add", reservationXml(added), ctx.signal);
  }
}
