import type {
  LocalDisk,
  MachineConfig,
  MachineRef,
  MigrationOutlook,
  NodeObstacles,
  ProxmoxClient,
  SnapshotInfo,
} from "../../../clients/proxmox/index.ts";
import type { MoveBlocker, MoveOutlook, OwnedMachine, ReadContext, Survey } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { readDataDisks, readDisk, systemSlot } from "../disks/machine-disks.ts";
import type { HostRegistry } from "../host-registry.ts";
import { machineRef, vmidOf } from "../machine/machine-want.ts";
import { properties } from "../property-text.ts";
import { isOurSnapshot } from "../snapshot/snapshot-names.ts";
import { seenIn } from "../survey/own-survey.ts";

const bytesPerGiB = 1024 ** 3;

/** What is read of a machine before anybody decides where it goes. */
interface Read {
  machine: OwnedMachine;
  found: MigrationOutlook;
  config: MachineConfig;
  snapshots: SnapshotInfo[];
  /** Types of the storages of its node, by name. */
  storageTypes: ReadonlyMap<string, string>;
}

/** How these machines could leave their nodes for one of these hosts. Reads only. */
export async function moveOutlooks(
  ctx: ReadContext,
  registry: HostRegistry,
  machines: OwnedMachine[],
  hosts: ProxmoxHost[],
  survey: Survey,
): Promise<MoveOutlook[]> {
  const bridges = new Map(
    await Promise.all(
      hosts.map(async (host) => {
        const client = await registry.client(host.name);
        return [host.name, await client.bridges(host.proxmox.node, ctx.signal)] as const;
      }),
    ),
  );
  return Promise.all(
    machines.map(async (machine) => {
      const read = await readAll(ctx, await registry.client(machine.host), machine);
      const others = hosts.filter((host) => host.proxmox.node !== machine.on);
      const named = <T>(of: (host: ProxmoxHost) => T | undefined): Record<string, T> =>
        Object.fromEntries(
          others.flatMap((host) => {
            const said = of(host);
            return said === undefined ? [] : [[host.name, said]];
          }),
        );
      return {
        machine,
        way: read.found.isRunning ? "live" : "off",
        disks: copiedDisks(read.found).map(({ volume, sizeBytes }) => ({
          storage: storageOf(volume),
          sizeGiB: sizeBytes / bytesPerGiB,
        })),
        blockers: blockersOf(read),
        against: named((host) => againstHost(read, host, bridges.get(host.name) ?? [], survey)),
        doubts: named((host) => processorDoubt(read, host, survey)),
      };
    }),
  );
}

async function readAll(ctx: ReadContext, client: ProxmoxClient, machine: OwnedMachine): Promise<Read> {
  const ref = machineRef(machine);
  const config = await client.machineConfig(ref, ctx.signal);
  const isLocked = config["lock"] !== undefined;
  const [found, snapshots, storages] = await Promise.all([
    isLocked ? lockedOutlook(ctx, client, ref, config) : client.migrationOutlook(ref, ctx.signal),
    client.snapshotsOf(ref, ctx.signal),
    client.storages(ref.node, ctx.signal),
  ]);
  return {
    machine,
    found,
    config,
    snapshots,
    storageTypes: new Map(storages.map(({ name, type }) => [name, type])),
  };
}

/** Proxmox tells nothing of a locked machine. One that is on its way is only waited for, any other stays where it is. */
async function lockedOutlook(
  ctx: ReadContext,
  client: ProxmoxClient,
  ref: MachineRef,
  config: MachineConfig,
): Promise<MigrationOutlook> {
  const disks = [readDisk(config, systemSlot(config)) ?? [], ...readDataDisks(config)].flat();
  return {
    isRunning: await client.isMachineRunning(ref, ctx.signal),
    localDisks: disks.map(({ volume, sizeGiB }) => ({
      volume,
      sizeBytes: sizeGiB * bytesPerGiB,
      isCdrom: false,
      isUnused: false,
    })),
    localDevices: [],
    mappedDevices: [],
    obstacles: [],
    companions: [],
  };
}

const storageOf = (volume: string): string => volume.split(":")[0] ?? "";
const isSeed = ({ volume }: LocalDisk): boolean => /vm-\d+-cloudinit/.test(volume);
/** A disc that is no seed is not the machine's own. */
const isDisc = (disk: LocalDisk): boolean => disk.isCdrom && !isSeed(disk);
const copiedDisks = ({ localDisks }: MigrationOutlook): LocalDisk[] =>
  localDisks.filter((disk) => !isDisc(disk));

/** All that Proxmox would find when the move has begun, found before. */
function blockersOf(read: Read): MoveBlocker[] {
  const { machine, found, config } = read;
  const vmid = vmidOf(machine);
  const lock = config["lock"];
  if (lock === "migrate") return [];
  if (lock !== undefined)
    return [
      { why: `it is locked (${lock})`, next: `Wait until the task that holds machine ${vmid} has ended` },
    ];
  const devices = [
    ...found.localDevices,
    ...(found.isRunning
      ? found.mappedDevices.filter(({ isLive }) => !isLive).map(({ device }) => device)
      : []),
  ];
  return [
    ...(devices.length > 0
      ? [
          {
            why: `it uses devices of ${machine.on} itself (${devices.join(", ")})`,
            next: `Shut ${machine.node} down for the time ${machine.on} is away, or take ${devices.join(", ")} out of machine ${vmid}`,
          },
        ]
      : []),
    ...found.localDisks.flatMap((disk) => diskBlocker(disk, machine) ?? []),
    ...snapshotBlocker(read),
    ...(found.companions.length > 0
      ? [
          {
            why: `a rule of high availability moves machine ${found.companions.join(", ")} along with it`,
            next: "Switch the rule off in Proxmox for the time of the move",
          },
        ]
      : []),
  ];
}

function diskBlocker(disk: LocalDisk, machine: OwnedMachine): MoveBlocker | undefined {
  const vmid = vmidOf(machine);
  const { volume } = disk;
  if (isDisc(disk))
    return {
      why: `"${volume}" is in its drive, and only ${machine.on} has it`,
      next: `Take the disc out of the drive of machine ${vmid} in Proxmox`,
    };
  const base = /[:/](base-\d+-[^/]+)\//.exec(volume)?.[1];
  if (base !== undefined)
    return {
      why: `"${volume}" is a linked clone, and its base ${base} stays on ${machine.on}`,
      next: `Move that disk of machine ${vmid} to another storage in Proxmox, which makes it a full copy`,
    };
  const owner = /(?:vm|base)-(\d+)-[^/]*$/.exec(volume)?.[1];
  if (owner !== undefined && Number(owner) !== vmid)
    return {
      why: `"${volume}" belongs to machine ${owner}`,
      next: `Reassign that disk to machine ${vmid} in Proxmox ("Reassign Owner")`,
    };
  return undefined;
}

/** Only some storages copy a disk with its snapshots, and none of them while the machine runs. */
function snapshotBlocker({ machine, found, snapshots, storageTypes }: Read): MoveBlocker[] {
  const [first] = snapshots;
  const attached = found.localDisks.filter((disk) => !disk.isCdrom && !disk.isUnused);
  if (!first || attached.length === 0) return [];
  const staysWhole = attached.every(
    ({ volume }) => storageTypes.get(storageOf(volume)) === "zfspool" || volume.endsWith(".qcow2"),
  );
  if (!found.isRunning && staysWhole) return [];
  const names = snapshots.map(({ name }) => name).join(", ");
  return [
    {
      why: `it has snapshots (${names}), and its disks on ${machine.on} cannot be copied with them`,
      next: isOurSnapshot(first.name)
        ? `slipway snapshot remove ${machine.cluster} ${first.name}`
        : `Remove snapshot "${first.name}" of machine ${vmidOf(machine)} in Proxmox`,
    },
  ];
}

/** Completes "HOST …". */
function againstHost(
  { machine, found, config }: Read,
  host: ProxmoxHost,
  bridges: string[],
  survey: Survey,
): string | undefined {
  const realmOf = (name: string) => survey.hosts.find((facts) => facts.host === name)?.realm;
  if (realmOf(host.name) !== realmOf(machine.host)) return "is not in the same Proxmox cluster";
  const obstacles = found.obstacles.find(({ node }) => node === host.proxmox.node);
  const missing = bridgesIn(config).filter((bridge) => !bridges.includes(bridge));
  const reasons = [
    ...(obstacles ? serverReasons(obstacles, machine, survey) : []),
    ...missing.map((bridge) => `has no bridge "${bridge}"`),
  ];
  return reasons.length === 0 ? undefined : reasons.join(" and ");
}

const serverReasons = (
  { missingStorages, missingDevices, blockingVmids }: NodeObstacles,
  machine: OwnedMachine,
  survey: Survey,
): string[] => [
  ...missingStorages.map((storage) => `has no storage "${storage}"`),
  ...missingDevices.map((device) => `has no device for ${device}`),
  ...blockingVmids.map((vmid) =>
    vmid === machine.id
      ? "is not among the nodes that high availability lets it run on"
      : `has ${nameOf(vmid, machine, survey)}, from which high availability keeps it apart`,
  ),
];

const nameOf = (vmid: number, { cluster }: OwnedMachine, { machines }: Survey): string =>
  machines.find((each) => each.id === vmid && each.cluster === cluster)?.node ?? `machine ${vmid}`;

const bridgesIn = (config: MachineConfig): string[] => [
  ...new Set(
    Object.keys(config)
      .filter((key) => /^net\d+$/.test(key))
      .flatMap((key) => properties(config[key] ?? "").get("bridge") ?? []),
  ),
];

/** A running guest goes on using what it has found of the processor it started on. */
function processorDoubt(
  { machine, found, config }: Read,
  host: ProxmoxHost,
  survey: Survey,
): string | undefined {
  if (!found.isRunning || !/^(?:cputype=)?host(?:,|$)/.test(config["cpu"] ?? "")) return undefined;
  const seen = seenIn(survey.own)?.hosts ?? {};
  const [here, there] = [seen[machine.host]?.processor.model, seen[host.name]?.processor.model];
  if (here === undefined || there === undefined || here === there) return undefined;
  return `${machine.node} has the processor of its host as it is (cpu: host), and ${host.name} has another: ${there}, not ${here}`;
}
