import { SlipwayError } from "../../../errors/index.ts";
import type { LibvirtClient } from "../../../clients/libvirt/index.ts";
import type {
  CopiedDisk,
  MoveBlocker,
  MoveOutlook,
  MoveWay,
  OwnedMachine,
  ReadContext,
  Survey,
} from "../../../plan/index.ts";
import type { LibvirtHost } from "../../../spec/index.ts";
import type { HostRegistry } from "../host-registry.ts";
import { findImage } from "../image/image.ts";
import { acceleratorOf, findMachine, placesOn, type MachineHave } from "../machine/find-machine.ts";
import { findNetwork } from "../network/network.ts";
import { volumesIn, type OpenPool } from "../pool/open-pool.ts";
import { interfacesOf } from "../preflight/networks.ts";
import { seenIn } from "../survey/survey.ts";
import type { Half } from "./halves.ts";
import { againstPlace, poolThere, volumesOf, type OwnVolume } from "./layout.ts";

const bytesPerGiB = 2 ** 30;

/** What is read of a machine before anybody decides where it goes. */
interface Read {
  machine: OwnedMachine;
  host: LibvirtHost;
  have: MachineHave;
  volumes: OwnVolume[];
  strange: string[];
  snapshots: string[];
  /** A copy of it that an earlier run has begun. */
  copy: Half | undefined;
}

/** A host as somewhere to go. */
interface There {
  host: LibvirtHost;
  client: LibvirtClient;
  places: Record<string, OpenPool>;
  /** Names of volumes by pool. */
  names: Record<string, Set<string>>;
  accelerator: "kvm" | "qemu";
  /** Undefined where libvirt shows none. */
  interfaces: string[] | undefined;
}

/** How these machines could leave their hosts for one of these. Reads only. */
export async function moveOutlooks(
  ctx: ReadContext,
  registry: HostRegistry,
  machines: OwnedMachine[],
  hosts: LibvirtHost[],
  survey: Survey,
): Promise<MoveOutlook[]> {
  const there = await Promise.all(hosts.map((host) => lookThere(ctx, registry, host)));
  const halves = seenIn(survey.own)?.halves ?? [];
  return Promise.all(
    machines.map(async (machine) => {
      const read = await readAll(ctx, registry, machine, halves);
      const others = there.filter(({ host }) => host.name !== machine.host);
      const against = await Promise.all(
        others.map(async (each) => [each.host.name, await againstHost(ctx, read, each, others)] as const),
      );
      const disksTo = await Promise.all(
        others.map(async (each) => [each.host.name, await disksIn(ctx, read, each)] as const),
      );
      return {
        machine,
        way: wayOf(read),
        disks: read.volumes.map((own) => sized(own, own.volume.pool)),
        disksTo: Object.fromEntries(disksTo),
        blockers: blockersOf(read),
        against: Object.fromEntries(
          against.flatMap(([name, why]) => (why === undefined ? [] : [[name, why]])),
        ),
        doubts: {},
      };
    }),
  );
}

async function lookThere(ctx: ReadContext, registry: HostRegistry, host: LibvirtHost): Promise<There> {
  const client = await registry.client(host.name);
  const [places, accelerator, interfaces] = await Promise.all([
    placesOn(client, ctx.signal),
    acceleratorOf(client, ctx.signal),
    interfacesOf(ctx, client),
  ]);
  const names = await Promise.all(
    Object.entries(places).map(
      async ([pool, place]) => [pool, new Set((await volumesIn(client, place, ctx.signal)).keys())] as const,
    ),
  );
  return {
    ...{ host, client, places, accelerator },
    names: Object.fromEntries(names),
    interfaces: interfaces?.map(({ name }) => name),
  };
}

async function readAll(
  ctx: ReadContext,
  registry: HostRegistry,
  machine: OwnedMachine,
  halves: Half[],
): Promise<Read> {
  const client = await registry.client(machine.host);
  const have = await findMachine(ctx, client, machine, `move machine ${machine.node}`);
  if (!have) throw new Error(`machine ${machine.node} is gone from ${machine.host}`);
  const [snapshots, { volumes, strange }] = await Promise.all([
    client.snapshotsOf(have.domain, ctx.signal),
    volumesOf(ctx, client, have),
  ]);
  const copy = halves.find(
    ({ what, cluster, node, other }) =>
      what === "copy" && cluster === machine.cluster && node === machine.node && other === machine.host,
  );
  return { machine, host: registry.host(machine.host), have, volumes, strange, snapshots, copy };
}

function wayOf({ have, copy }: Read): MoveWay {
  if (have.isRunning) return "restarts";
  return copy?.wasRunning ? "resumes" : "off";
}

const sized = ({ bytes }: OwnVolume, storage: string): CopiedDisk => ({
  storage,
  sizeGiB: bytes / bytesPerGiB,
});

/** With the image that its disk stands on, where that is not there yet. */
async function disksIn(ctx: ReadContext, { host, volumes }: Read, there: There): Promise<CopiedDisk[]> {
  const bases = await Promise.all(
    volumes.map(async ({ base }) => {
      if (!base) return [];
      const storage = poolThere(base.volume.pool, host, there.host);
      const key = { host: there.host.name, storage, file: base.volume.name };
      return (await findImage(ctx, there.client, key))?.isComplete ? [] : [sized(base, storage)];
    }),
  );
  return [...volumes.map((own) => sized(own, poolThere(own.volume.pool, host, there.host))), ...bases.flat()];
}

/** All that forbids it wherever it should go. */
function blockersOf({ machine, have, strange, snapshots }: Read): MoveBlocker[] {
  const { defined, domain } = have;
  const { host, node } = machine;
  const devices = [...defined.others, ...(defined.cdrom ? ["the disc in its drive"] : [])];
  const [snapshot] = snapshots;
  return [
    ...(have.isUnfinished
      ? [
          {
            why: "it was never finished, or has lost its disk",
            next: `Finish it first: slipway up ${machine.cluster}`,
          },
        ]
      : []),
    ...(devices.length > 0
      ? [
          {
            why: `it uses what only ${host} has (${devices.join(", ")})`,
            next: `Shut ${node} down for the time ${host} is away, or take ${devices.join(", ")} out of it: virsh edit ${domain.name}`,
          },
        ]
      : []),
    ...(!have.isUnfinished && strange.length > 0
      ? [
          {
            why: `Slipway does not know what its disks hold: ${strange.join(", ")}`,
            next: `Put the disks back that Slipway gave it, or shut ${node} down for the time ${host} is away`,
          },
        ]
      : []),
    ...(snapshot === undefined
      ? []
      : [
          {
            why: `it has snapshots (${snapshots.join(", ")}), which would stay behind`,
            next: `Remove them on ${host}: virsh snapshot-delete ${domain.name} ${snapshot}`,
          },
        ]),
    ...(defined.hasTpm
      ? [
          {
            why: `it has a TPM, whose keys do not leave ${host}`,
            next: `Shut ${node} down for the time ${host} is away; it starts again with it`,
          },
        ]
      : []),
    // They lie beside the pools, and no call of libvirt reads them; elsewhere it would begin with empty ones.
    ...(defined.firmware === "uefi"
      ? [
          {
            why: `it starts by UEFI, whose variables (what it starts, keys for secure boot) do not leave ${host}`,
            next: `Shut ${node} down for the time ${host} is away; it starts again with it`,
          },
        ]
      : []),
  ];
}

/** Completes "HOST …". */
async function againstHost(
  ctx: ReadContext,
  read: Read,
  there: There,
  others: There[],
): Promise<string | undefined> {
  const { machine, host, have, volumes, copy } = read;
  const isBegun = copy?.host === there.host.name;
  if (copy && !isBegun && others.some((each) => each.host.name === copy.host))
    return `is not ${copy.host}, where its move was begun`;
  const twin = isBegun ? undefined : await twinOn(ctx, there, machine);
  if (twin !== undefined) return twin;
  const images = volumes.flatMap(({ base }) => base ?? []);
  const reasons = [
    ...[...volumes, ...images].flatMap((own) => {
      const pool = poolThere(own.volume.pool, host, there.host);
      const isTaken = !isBegun && !images.includes(own) && there.names[pool]?.has(own.volume.name) === true;
      return (
        againstPlace(own, pool, there.places[pool]) ??
        (isTaken ? `has a volume "${own.volume.name}" already` : [])
      );
    }),
    ...(have.defined.accelerator === "kvm" && there.accelerator !== "kvm" ? ["has no KVM"] : []),
    ...(await Promise.all(have.defined.nics.map((nic) => againstPlug(ctx, nic, there)))).flat(),
  ];
  return reasons.length === 0 ? undefined : [...new Set(reasons)].join(" and ");
}

/** What has its name or its UUID there. */
async function twinOn(
  ctx: ReadContext,
  { client, host }: There,
  machine: OwnedMachine,
): Promise<string | undefined> {
  try {
    const key = { cluster: machine.cluster, node: machine.node, host: host.name };
    const found = await findMachine(ctx, client, key, `move machine ${machine.node}`);
    return found && "has a machine of it already";
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || thrown.code !== "LIBVIRT_MACHINE_FOREIGN") throw thrown;
    return "has another machine of its name";
  }
}

async function againstPlug(
  ctx: ReadContext,
  { kind, source }: MachineHave["defined"]["nics"][number],
  { client, interfaces }: There,
): Promise<string[]> {
  if (kind !== "network")
    return interfaces === undefined || interfaces.includes(source)
      ? []
      : [`has no ${kind === "bridge" ? "bridge" : "interface"} "${source}"`];
  const found = await findNetwork(ctx, client, source);
  if (!found) return [`has no network "${source}"`];
  return found.isActive ? [] : [`has network "${source}" stopped`];
}
