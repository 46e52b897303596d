import { refusal } from "../../api-error.ts";
import type { Cluster } from "../../cluster.ts";
import { findPlug } from "../../nodes/bridges.ts";
import { splitList } from "../../parameters/formats.ts";
import type { Vm } from "../../state.ts";
import {
  contentOf,
  findStorage,
  findVolume,
  isVolumeId,
  splitVolumeId,
  storageOnNode,
} from "../../storage/volumes.ts";
import { demandSeedFiles } from "./cloud-init.ts";
import { drivesOf, emulatorVersions, isCloudInit, parseValue, type Config } from "./config.ts";
import { coresOf, memoryMiB, nicsOf } from "./hardware.ts";

/** What keeps a machine from being switched on, in the order in which the server comes to it. */
export function demandStartable(cluster: Cluster, vm: Vm): void {
  const { config } = vm;
  demandSeedFiles(cluster, vm);
  demandVolumes(cluster, vm);
  demandKnownBoard(cluster, vm);
  demandFirmware(config);
  demandCores(cluster, vm);
  demandMemory(config);
  const plugs = nicsOf(config).map(({ slot, nic }) => ({ nic, plug: plugOf(cluster, vm, slot, nic) }));
  const memory = cluster.file.nodes[vm.node]?.memory ?? Infinity;
  const tooMany = Number(config["vcpus"] ?? 1) > coresOf(config);
  // The reason stands in the log of the real server only.
  if (tooMany || memoryMiB(config) * 2 ** 20 > memory || plugs.some(isUnpluggable)) {
    throw refusal("start failed: QEMU exited with code 1");
  }
}

/** Every storage must still be there for what lies on it. */
function demandVolumes(cluster: Cluster, vm: Vm): void {
  const files = drivesOf(vm.config).flatMap(({ file }) => (isVolumeId(file) ? [file] : []));
  for (const { storage, name } of files.map(splitVolumeId)) {
    const found = findStorage(cluster, storage);
    const kind = contentOf(found, name);
    if (found.content.includes(kind)) continue;
    throw refusal(`storage '${storage}' does not support content-type '${kind}'`);
  }
  for (const file of files) {
    storageOnNode(cluster, splitVolumeId(file).storage, vm.node);
    if (!isCloudInit(file) && !findVolume(cluster, file, vm.node)) {
      throw refusal(`volume '${file}' does not exist`);
    }
  }
}

/** A board newer than the emulator; one that says no version is always its newest. */
function demandKnownBoard(cluster: Cluster, { config, node }: Vm): void {
  const type = parseValue("machine", config["machine"] ?? "")["type"] ?? "pc";
  const emulator = emulatorVersions[cluster.version];
  const [, major, minor] = /-(\d+)\.(\d+)(?:\.\d+)?(?:\+pve\d+)?(?:\.pxe)?$/.exec(type) ?? [];
  const [newestMajor = 0, newestMinor = 0] = emulator.split(".").map(Number);
  const ahead = Number(major ?? 0) - newestMajor || Number(minor ?? 0) - newestMinor;
  if (major === undefined || ahead <= 0) return;
  const full = type.includes("+pve") ? type : `${type}+pve0`;
  throw refusal(
    `Installed QEMU version '${emulator}' is too old to run machine type '${full}', please upgrade node '${node}'`,
  );
}

const narrowCpus = /^(?:486|athlon|coreduo|kvm32|pentium[23]?|qemu32)$/;

function demandFirmware(config: Config): void {
  const { cputype = "" } = parseValue("cpu", config["cpu"] ?? "");
  if (config["bios"] === "ovmf" && narrowCpus.test(cputype)) {
    throw refusal("OVMF (UEFI) BIOS is not supported on 32-bit CPU types");
  }
}

function demandCores(cluster: Cluster, { config, node }: Vm): void {
  const most = cluster.file.nodes[node]?.cores ?? Infinity;
  if (coresOf(config) > most) throw refusal(`MAX ${most} vcpus allowed per VM on this node`);
}

const leastPluggableMiB = 1024;

/** Memory that can be plugged has a fixed part, and is spread over nodes of the guest's own making. */
function demandMemory(config: Config): void {
  const numbers = Object.keys(config).filter((key) => /^numa\d+$/.test(key));
  const hasNuma = Number(config["numa"] ?? 0) === 1;
  if (splitList(String(config["hotplug"] ?? "")).includes("memory")) {
    if (!hasNuma) throw refusal("NUMA needs to be enabled for memory hotplug");
    if (numbers.length > 0) throw refusal("cannot enable memory hotplugging with custom NUMA topology");
    if (memoryMiB(config) < leastPluggableMiB) throw refusal(`minimum memory must be ${leastPluggableMiB}MB`);
  }
  if (!hasNuma || numbers.length === 0) return;
  let sum = 0;
  for (const key of numbers.toSorted()) {
    const { memory = "0", hostnodes, policy } = parseValue(key, config[key] ?? "");
    if (Number(memory) === 0) throw refusal(`missing NUMA node${key.slice(4)} memory value`);
    if (hostnodes !== undefined && policy === undefined) {
      throw refusal(`you need to define a policy for hostnode ${hostnodes}`);
    }
    sum += Number(memory);
  }
  if (sum !== memoryMiB(config)) {
    throw refusal("total memory for NUMA nodes must be equal to vm static memory");
  }
}

interface Plugged {
  nic: Record<string, string>;
  plug: ReturnType<typeof findPlug> | "missing";
}

const leastMtu = 576;
/** Stands for whatever the bridge has. */
const sameMtu = 1;

/** The server looks at the bridge itself only for the packet size of a paravirtual card; 8 only if one is given. */
function plugOf(cluster: Cluster, vm: Vm, slot: string, nic: Plugged["nic"]): Plugged["plug"] {
  const { bridge, model, mtu } = nic;
  if (bridge === undefined) return undefined;
  const plug = findPlug(cluster, vm.node, bridge);
  if (model !== "virtio" || (cluster.version === 8 && mtu === undefined)) return plug ?? "missing";
  if (!plug) throw refusal(`bridge '${bridge}' does not exist`);
  const size = Number(mtu ?? sameMtu);
  if (size !== sameMtu && size < leastMtu) {
    throw refusal(`netdev ${slot}: MTU '${size}' is smaller than the IP minimum MTU '${leastMtu}'`);
  }
  return plug;
}

const isUnpluggable = ({ nic, plug }: Plugged): boolean => {
  if (plug === undefined) return false;
  if (plug === "missing") return true;
  return (nic["tag"] !== undefined && !plug.hasPort) || (nic["trunks"] !== undefined && !plug.isVlanAware);
};
