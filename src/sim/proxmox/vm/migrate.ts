import { refusal } from "../api-error.ts";
import type { Cluster } from "../cluster.ts";
import { findPlug } from "../nodes/bridges.ts";
import { isOnline } from "../nodes/quorum.ts";
import type { Vm, Volume } from "../state.ts";
import { findVolume, isFileStorage, isOnNode, storagesOf, volumeId } from "../storage/volumes.ts";
import type { TaskRun } from "../tasks.ts";
import { drivesOf, isCdrom, isCloudInit, isNic, isUnused, parseValue, printDrive } from "./config/config.ts";

/** A volume of a machine that lies on its node only. */
export interface LocalDisk {
  /** The key of the configuration that names it. */
  key: string;
  volume: Volume;
  isUnused: boolean;
  isCloudInit: boolean;
  /** An installation medium is not the machine's own, so it cannot move along. */
  isMedium: boolean;
}

export function localDisks(cluster: Cluster, vm: Vm): LocalDisk[] {
  const drives = drivesOf(vm.config).map(({ slot, drive, file }) => ({
    key: slot,
    file,
    isUnused: false,
    isCloudInit: isCloudInit(file),
    isMedium: isCdrom(drive) && !isCloudInit(file),
  }));
  const unused = Object.entries(vm.config)
    .filter(([key]) => isUnused(key))
    .map(([key, value]) => ({
      key,
      file: String(value),
      isUnused: true,
      isCloudInit: false,
      isMedium: false,
    }));
  return [...drives, ...unused].flatMap(({ file, ...rest }) => {
    const volume = findVolume(cluster, file, vm.node);
    return volume?.node === undefined ? [] : [{ ...rest, volume }];
  });
}

/** Devices of the node itself. A serial port that is a socket is made anew on the other node. */
export const localResources = ({ config }: Vm): string[] =>
  Object.keys(config)
    .filter((key) => /^(?:usb|hostpci|serial|parallel)\d+$/.test(key))
    .filter(
      (key) => !/^(?:socket|spice)\b/.test(String(config[key])) && !/\bmapping=/.test(String(config[key])),
    )
    .toSorted();

/** Storages the machine's disks need that another node does not have. */
export function missingStorages(cluster: Cluster, vm: Vm, node: string): string[] {
  const names = new Set(
    drivesOf(vm.config).flatMap(({ file }) => findVolume(cluster, file, vm.node)?.storage ?? []),
  );
  return [...names].filter((name) => {
    const storage = storagesOf(cluster)[name];
    return !storage || !isOnNode(storage, node);
  });
}

export interface Journey {
  target: string;
  withLocalDisks: boolean;
  /** Where disks of a storage go; `*` for the rest. */
  storages: Record<string, string>;
}

/** `fast`, `local:fast,shared:shared`, or `1` for the same everywhere. */
export function storageMap(text: string | undefined): Record<string, string> {
  const pairs = (text ?? "1").split(",").map((part) => part.split(":"));
  return Object.fromEntries(pairs.map(([from = "1", to]) => (to === undefined ? ["*", from] : [from, to])));
}

const unreachableMs = 3000;

/** Moves a machine, running or not. A running guest notices nothing. */
export async function migrateVm(cluster: Cluster, vm: Vm, journey: Journey, run: TaskRun): Promise<void> {
  const { target } = journey;
  const log = (line: string) => run.log(`${timestamp(cluster)} ${line}`);
  const abort = (line: string) => {
    log(`ERROR: migration aborted (duration 00:00:00): ${line}`);
    return refusal("migration aborted");
  };
  const address = cluster.file.nodes[target]?.address ?? cluster.addresses[target];
  if (!isOnline(cluster, target)) {
    await cluster.clock.sleep(unreachableMs, run.signal);
    log(`ssh: connect to host ${address} port 22: No route to host`);
    throw abort("Can't connect to destination address using public key");
  }
  log(`starting migration of VM ${vm.vmid} to node '${target}' (${address})`);
  const resources = localResources(vm);
  if (resources.length > 0) throw abort(`can't migrate VM which uses local devices: ${resources.join(", ")}`);
  const disks = localDisks(cluster, vm);
  const stuck = disks.flatMap((disk) => {
    const why = whyStuck(cluster, vm, disk, journey);
    return why === undefined ? [] : [`can't migrate local disk '${volumeId(disk.volume)}': ${why}`];
  });
  for (const line of stuck) log(line);
  if (stuck.length > 0) throw abort("Problem found while scanning volumes - can't migrate VM - check log");
  const moves = disks.map((disk) => ({ disk, storage: targetStorage(journey, disk.volume.storage) }));
  const lacking = moves.find(({ storage }) => !isOnNode(storagesOf(cluster)[storage] ?? nowhere, target));
  if (lacking) throw abort(`storage '${lacking.storage}' is not available on node '${target}'`);
  const bridge = vm.running && missingBridge(cluster, vm, target);
  if (bridge) throw abort(`target node is missing bridge '${bridge}'`);
  await carry(cluster, vm, target, moves, run, log);
  log("migration finished successfully (duration 00:00:01)");
}

/** Why a disk cannot leave its node. */
function whyStuck(cluster: Cluster, vm: Vm, disk: LocalDisk, journey: Journey): string | undefined {
  const { volume } = disk;
  if (disk.isMedium) return "local cdrom image";
  if (volume.vmid !== undefined && volume.vmid !== vm.vmid)
    return `owned by other VM (owner = VM ${volume.vmid})`;
  const base = /(?:^|\/)(base-\d+-[^/]+)\//.exec(volume.name)?.[1];
  if (base !== undefined) return `clone of '${base}'`;
  if (disk.isCloudInit || disk.isUnused) return undefined;
  if (vm.running && !journey.withLocalDisks)
    return "can't live migrate attached local disks without with-local-disks option";
  if (Object.keys(vm.snapshots).length === 0) return undefined;
  if (vm.running) return "online storage migration not possible if non-replicated snapshot exists";
  const storage = storagesOf(cluster)[volume.storage];
  const keepsThem =
    storage?.type === "zfspool" || (storage && isFileStorage(storage) && volume.format === "qcow2");
  return keepsThem ? undefined : "non-migratable snapshot exists";
}

const missingBridge = (cluster: Cluster, vm: Vm, node: string): string | undefined =>
  Object.keys(vm.config)
    .filter(isNic)
    .map((key) => parseValue(key, vm.config[key] ?? "")["bridge"])
    .find((bridge) => bridge !== undefined && !findPlug(cluster, node, bridge));

const nowhere = { nodes: [] as string[] } as Parameters<typeof isOnNode>[0];

const targetStorage = ({ storages }: Journey, from: string): string => {
  const to = storages[from] ?? storages["*"] ?? "1";
  return to === "1" ? from : to;
};

async function carry(
  cluster: Cluster,
  vm: Vm,
  target: string,
  moves: { disk: LocalDisk; storage: string }[],
  run: TaskRun,
  log: (line: string) => void,
): Promise<void> {
  vm.config["lock"] = "migrate";
  cluster.changed();
  try {
    for (const { disk } of moves) {
      log(`found ${disk.isCloudInit ? "generated" : "local"} disk '${volumeId(disk.volume)}' (attached)`);
    }
    if (moves.length > 0) log("copying local disk images");
    const { importMs, startMs } = cluster.latencies;
    await cluster.clock.sleep(moves.length * importMs + (vm.running ? startMs : 0), run.signal);
  } finally {
    delete vm.config["lock"];
  }
  for (const { disk, storage } of moves) settle(cluster, vm, disk, storage, target);
  vm.node = target;
  if (vm.running) {
    // On the other node it is another process, whose clock starts anew; the guest itself goes on.
    vm.running.pid = cluster.state.nextPid++;
    vm.running.startedAt = cluster.clock.now();
  }
  cluster.changed();
}

/** The volume itself moves, and with it all that a guest has written. */
function settle(cluster: Cluster, vm: Vm, disk: LocalDisk, storage: string, target: string): void {
  const { volume, key } = disk;
  volume.storage = storage;
  if (storagesOf(cluster)[storage]?.shared) delete volume.node;
  else volume.node = target;
  if (disk.isUnused) vm.config[key] = volumeId(volume);
  else {
    const drive = drivesOf(vm.config).find(({ slot }) => slot === key)?.drive ?? {};
    vm.config[key] = printDrive(key, { ...drive, file: volumeId(volume) });
  }
}

const timestamp = (cluster: Cluster): string =>
  new Date(cluster.clock.now()).toISOString().slice(0, 19).replace("T", " ");
