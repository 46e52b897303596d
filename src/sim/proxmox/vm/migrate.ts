import { refusal } from "../api-error.ts";
import type { Cluster } from "../cluster.ts";
import { isOnline } from "../nodes/quorum.ts";
import type { Vm, Volume } from "../state.ts";
import { findVolume, isOnNode, storagesOf, volumeId } from "../storage/volumes.ts";
import type { TaskRun } from "../tasks.ts";
import { drivesOf, isCdrom, isCloudInit, isUnused, printDrive } from "./config/config.ts";

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
  const disks = localDisks(cluster, vm);
  const stuck = disks.filter((disk) => disk.isMedium);
  for (const { volume } of stuck) log(`can't migrate local disk '${volumeId(volume)}': local cdrom image`);
  if (vm.running && !journey.withLocalDisks) {
    const attached = disks.filter((disk) => !disk.isUnused && !disk.isCloudInit && !disk.isMedium);
    for (const disk of attached) {
      log(
        `can't migrate local disk '${volumeId(disk.volume)}': can't live migrate attached local disks without with-local-disks option`,
      );
    }
    stuck.push(...attached);
  }
  if (stuck.length > 0) throw abort("Problem found while scanning volumes - can't migrate VM - check log");
  const moves = disks.map((disk) => ({ disk, storage: targetStorage(journey, disk.volume.storage) }));
  const lacking = moves.find(({ storage }) => !isOnNode(storagesOf(cluster)[storage] ?? nowhere, target));
  if (lacking) throw abort(`storage '${lacking.storage}' is not available on node '${target}'`);
  await carry(cluster, vm, target, moves, run, log);
  log("migration finished successfully (duration 00:00:01)");
}

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
