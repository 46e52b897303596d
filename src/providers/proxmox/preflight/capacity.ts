import { talosImage } from "../../../images/index.ts";
import type { Check, Finding } from "../../../plan/index.ts";
import { coresShort, gib, memoryShort, storageFull } from "./errors.ts";
import { failed, hostCheck, machineOf, newNodes, type HostView } from "./host-view.ts";
import { diskStorages } from "./storages.ts";

// A Talos disk image with a handful of extensions.
const imageGiB = 2;
const reserveMiB = 1024;
const crowdedFactor = 4;

/** What is wanted beyond what our running machines already have. */
export const memoryCheck = (view: HostView): Check =>
  hostCheck(view, "proxmox-memory", "Memory is enough", async (ctx) => {
    const { memoryMiB, memoryUsedMiB } = await view.status(ctx.signal);
    const neededMiB = view.placed
      .map(({ node }) => {
        const machine = machineOf(view, node.name);
        return Math.max(0, node.memoryMiB - (machine?.isRunning ? machine.memoryMiB : 0));
      })
      .reduce((sum, each) => sum + each, 0);
    const freeMiB = memoryMiB - memoryUsedMiB;
    const facts = { needed: gib(neededMiB), found: `${gib(freeMiB)} of ${gib(memoryMiB)} free` };
    if (neededMiB > freeMiB) {
      return failed(memoryShort({ host: view.host, neededMiB, freeMiB, totalMiB: memoryMiB }), facts);
    }
    const isTight = neededMiB > 0 && freeMiB - neededMiB < reserveMiB;
    return { status: isTight ? "warned" : "ok", ...facts };
  });

export const coresCheck = (view: HostView): Check =>
  hostCheck(view, "proxmox-cores", "Cores are enough", async (ctx) => {
    const { cores: hostCores } = await view.status(ctx.signal);
    const wanted = view.placed.reduce((sum, { node }) => sum + node.cores, 0);
    const facts = { needed: `${wanted} in all`, found: `${hostCores} on the host` };
    const tooBig = view.placed.find(({ node }) => node.cores > hostCores);
    if (tooBig) {
      const { name, cores } = tooBig.node;
      return failed(coresShort({ host: view.host, node: name, cores, hostCores }), facts);
    }
    return { status: wanted > hostCores * crowdedFactor ? "warned" : "ok", ...facts };
  });

/** Most storages give space only as it is written, so more may be promised than there is; one disk must still fit. */
export const spaceCheck = (view: HostView): Check[] =>
  [...new Set([...diskStorages(view), view.host.proxmox.storage.images])].map((storage) =>
    hostCheck(view, "proxmox-space", "Storage has room", async (ctx): Promise<Finding> => {
      const info = (await view.storages(ctx.signal)).find((each) => each.name === storage);
      if (!info) return { status: "skipped", because: "proxmox-disks-storage" };
      const parts = spaceWanted(view, storage);
      const neededGiB = parts.reduce((sum, each) => sum + each, 0);
      const facts = { needed: `${neededGiB} GiB on ${storage}`, found: `${info.freeGiB} GiB free` };
      const mustFitGiB = givesAllAtOnce.has(info.type) ? neededGiB : Math.max(0, ...parts);
      if (mustFitGiB > info.freeGiB) {
        return failed(storageFull({ host: view.host, storage, neededGiB, freeGiB: info.freeGiB }), facts);
      }
      return { status: neededGiB > info.freeGiB ? "warned" : "ok", ...facts };
    }),
  );

const givesAllAtOnce = new Set(["lvm", "iscsi", "iscsidirect"]);

/** Per new machine its disks on this storage, and the image once, unless it is there. */
function spaceWanted(view: HostView, storage: string): number[] {
  const { storage: names } = view.host.proxmox;
  const machines = newNodes(view).map(({ node }) => {
    const system = storage === names.disks ? node.diskGiB : 0;
    const data = node.dataDisks.filter((disk) => (disk.storage ?? names.disks) === storage);
    return data.reduce((sum, disk) => sum + disk.sizeGiB, system);
  });
  const file = talosImage(view.cluster.distribution).fileName;
  const isThere = view.survey.images.some((image) => image.host === view.host.name && image.file === file);
  return storage === names.images && !isThere ? [...machines, imageGiB] : machines;
}
