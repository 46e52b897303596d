import { readFile } from "node:fs/promises";
import { replaceFile, type Clock, type Random } from "../lib/index.ts";
import type { ClusterView } from "./cluster-view.ts";
import type { DatacenterFile } from "./datacenter-file.ts";
import { faultBox, type FaultBox } from "./faults.ts";
import { startDownloads, type SimDownloads } from "./downloads/index.ts";
import { startFactory, type SimFactory } from "./factory/index.ts";
import type { BootGuest } from "./guest.ts";
import { k3sProgram, type K3sClustersState } from "./k3s/index.ts";
import { siteOn } from "./kube/index.ts";
import { startLibvirt, type LibvirtEntry, type LibvirtState, type SimLibvirt } from "./libvirt/index.ts";
import { linuxGuests, linuxSlot, type LinuxGuests } from "./linux/index.ts";
import { startMetal, type MetalState, type SimMetal } from "./metal/index.ts";
import type { SimNetwork } from "./network.ts";
import {
  simulatedInternet,
  startProxmox,
  type ProxmoxState,
  type SimProxmox,
  type Internet,
} from "./proxmox/index.ts";
import type { StandIn } from "./stand-in.ts";
import { talosGuests, type TalosClustersState, type TalosGuests } from "./talos/index.ts";

export interface DatacenterOptions {
  file: DatacenterFile;
  /** Where each Proxmox node answers. */
  entries: { node: string; host: string; port: number }[];
  /** Where the daemons of libvirt hosts answer. Left out: nowhere. */
  libvirtEntries?: LibvirtEntry[];
  network: SimNetwork;
  clock: Clock;
  random: Random;
  /** Addresses of images whose sites are to be there too. */
  downloads?: string[];
  /** Addresses of image factories to be there too. Left out: every image exists, and nobody registers anything. */
  factories?: string[];
  /** What may be installed into its clusters. */
  standIns?: readonly StandIn[];
  /** Keeps the datacenter over restarts; without it everything is forgotten. */
  stateFile?: string | undefined;
}

/** A running datacenter: hypervisors, their machines, and the clusters on them. */
export interface Datacenter {
  /** Authority of the Proxmox certificates, PEM. */
  ca: string;
  fingerprint: string;
  faults: FaultBox;
  proxmox: SimProxmox;
  talos: TalosGuests;
  linux: LinuxGuests;
  factories: SimFactory[];
  downloads: SimDownloads;
  libvirt: SimLibvirt;
  metal: SimMetal;
  /** Every cluster on its machines, as it is this moment. */
  clusters(): ClusterView[];
  close(): Promise<void>;
}

interface SavedState {
  proxmox: ProxmoxState;
  talos: TalosClustersState;
  /** Absent in files of a datacenter that knew no K3s. */
  k3s?: K3sClustersState;
  /** Absent in files of a datacenter that knew none. */
  metal?: MetalState;
  libvirt?: LibvirtState;
}

/** Powers up a whole datacenter as its file describes it, or as it was when it was last saved. */
export async function startDatacenter(options: DatacenterOptions): Promise<Datacenter> {
  const { file, network, clock, random } = options;
  const { latencies } = file;
  const saved = await readState(options.stateFile);
  for (const [name, address] of Object.entries(file.names)) siteOn(network).names.set(name, [address]);
  siteOn(network).programs = [...(options.standIns ?? [])];
  const faults = faultBox(file.faults, file.clusterFaults, file.hostFaults);
  const keeper = stateKeeper(options.stateFile, () => ({
    proxmox: proxmox.state(),
    talos: talos.state(),
    k3s: k3s.state(),
    metal: metal.state(),
    libvirt: libvirt.state(),
  }));
  const world = { network, clock, random, latencies, faults, onChange: keeper.changed };
  const talos = talosGuests({ ...world, saved: saved?.talos });
  const k3s = k3sProgram({ random, saved: saved?.k3s, onChange: keeper.changed });
  const linux = linuxGuests({ network, clock, latencies, faults, random, programs: { k3s } });
  // What is on the disk decides, as it does for real firmware.
  const boot: BootGuest = (hardware, disks, power) =>
    (linuxSlot(hardware, disks) ? linux : talos).boot(hardware, disks, power);
  const { downloadMs } = latencies;
  const factories = await Promise.all(
    (options.factories ?? []).map((url) => startFactory({ url, network, clock, random, faults, downloadMs })),
  );
  const urls = options.downloads ?? [];
  const downloads = await startDownloads({ urls, network, clock, random, faults, downloadMs });
  const proxmox: SimProxmox = await startProxmox({
    ...{ ...world, boot, datacenter: file, entries: options.entries, saved: saved?.proxmox },
    internet: internetWithFactories(factories, simulatedInternet),
  });
  const metal: SimMetal = await startMetal({ ...world, boot, machines: file.metal, saved: saved?.metal });
  const libvirt: SimLibvirt = await startLibvirt({
    ...{ ...world, boot, hosts: file.libvirt, wires: file.networks, saved: saved?.libvirt },
    entries: options.libvirtEntries ?? [],
  });
  return {
    ca: proxmox.ca,
    fingerprint: proxmox.fingerprint,
    faults,
    proxmox,
    talos,
    linux,
    factories,
    downloads,
    libvirt,
    metal,
    clusters: () => [...talos.clusters(), ...k3s.clusters()],
    async close() {
      await keeper.flush();
      await proxmox.close();
      await libvirt.close();
      await metal.close();
      await talos.close();
      await linux.close();
      await Promise.all([downloads, ...factories].map((site) => site.close()));
    },
  };
}

async function readState(file: string | undefined): Promise<SavedState | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as SavedState);
}

/** Writes the state soon after it has changed, whole or not at all, one write at a time. */
function stateKeeper(file: string | undefined, state: () => SavedState) {
  let writing: Promise<void> | undefined;
  let isStale = false;
  const write = async (to: string): Promise<void> => {
    while (isStale) {
      isStale = false;
      await replaceFile(to, JSON.stringify(state()));
    }
    writing = undefined;
  };
  const changed = (): void => {
    if (file === undefined) return;
    isStale = true;
    writing ??= new Promise<void>((resolve) => setTimeout(resolve, 20)).then(() => write(file));
  };
  return {
    changed,
    flush: async (): Promise<void> => {
      changed();
      await writing;
    },
  };
}

const diskBytes = 1280 * 2 ** 20;

/** The nodes' way to the web where some addresses are simulated factories: these have only what was registered. */
export const internetWithFactories =
  (factories: SimFactory[], otherwise: Internet): Internet =>
  async (url, options) => {
    const factory = factories.find((each) => url.startsWith(`${each.url}/`));
    if (!factory) return otherwise(url, options);
    const found = factory.fetch(url);
    if (found === "cut") return { problem: "refused", address: new URL(url).host };
    if (found.status !== 200) return { problem: "status", status: found.status, reason: "Not Found" };
    return {
      sizeBytes: found.bytes,
      virtualBytes: diskBytes,
      fileName: url.split("/").at(-1) ?? "",
      mimeType: "application/octet-stream",
    };
  };
