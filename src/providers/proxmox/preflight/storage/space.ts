import type { StorageInfo } from "../../../../clients/proxmox/index.ts";
import { failed, machineOf, type Check, type Finding, type PlacedNode } from "../../../../plan/index.ts";
import type { ProxmoxHost } from "../../../../spec/index.ts";
import { surveyedTemplates } from "../../survey/own-survey.ts";
import { canLink } from "./copies.ts";
import { storageFull } from "../errors.ts";
import { placedCheck, type HostView } from "../host-view.ts";
import { diskStorages, needsImage } from "./storages.ts";

// A Talos disk image with a handful of extensions, and an ISO of the same.
const imageGiB = 2;
const isoGiB = 0.5;

/** These take a disk's whole size at once. The others give space as it is written, so more may be promised. */
const givesAllAtOnce = new Set(["lvm", "iscsi", "iscsidirect"]);

/** Each storage once, with everything that would be put there. */
export const spaceChecks = (view: HostView): Check[] =>
  storagesUsed(view).map((storage) =>
    placedCheck(
      view,
      "proxmox-space",
      ["Storage has enough space", "Storage has too little space"],
      async (ctx): Promise<Finding> => {
        const info = (await view.storages(ctx.signal)).find((each) => each.name === storage);
        if (!info?.isActive) return { status: "skipped", because: "proxmox-disks-storage" };
        const parts = spaceWanted(view, info);
        const neededGiB = Math.ceil(parts.reduce((sum, each) => sum + each, 0));
        const facts = { needed: `${neededGiB} GiB on ${storage}`, found: `${info.freeGiB} GiB free` };
        const mustFitGiB = givesAllAtOnce.has(info.type) ? neededGiB : Math.max(0, ...parts);
        if (mustFitGiB > info.freeGiB) {
          return failed(storageFull({ host: view.host, storage, neededGiB, freeGiB: info.freeGiB }), facts);
        }
        return { status: neededGiB > info.freeGiB ? "warned" : "ok", ...facts };
      },
    ),
  );

function storagesUsed(view: HostView): string[] {
  const { storage } = view.host.proxmox;
  const { bootSource } = view.cluster;
  const source = needsImage(view) ? [storage.images] : [];
  const iso = bootSource.kind === "iso" && bootSource.volume === undefined ? [storage.isos] : [];
  return [...new Set([...diskStorages(view), ...source, ...iso])];
}

/** Disks of new machines one by one; images, ISOs and templates once, and only while they are not there. */
function spaceWanted(view: HostView, info: StorageInfo): number[] {
  // What all hosts write to is one space for the machines of all of them.
  const placed = info.isShared ? everywhere(view) : view.placed;
  const hosts = info.isShared ? [...new Set(placed.map(({ host }) => host))] : [view.host];
  const machines = placed
    .filter(({ node }) => machineOf(view, node.name) === undefined)
    .map((each) => machineGiB(view, each, info));
  const sources = hosts.flatMap((host) => sourcesGiB(view, host, info.name));
  return [...machines, ...(info.isShared ? sources.slice(0, 1) : sources)].filter((each) => each > 0);
}

const everywhere = (view: HostView): PlacedNode<ProxmoxHost>[] =>
  (view.all.get(view.cluster.name) ?? view.placed).filter(
    ({ host }) => host.proxmox.url === view.host.proxmox.url,
  );

function machineGiB(view: HostView, { node, host }: PlacedNode<ProxmoxHost>, info: StorageInfo): number {
  const usual = host.proxmox.storage.disks;
  const isHere = (node.storage ?? usual) === info.name;
  // A linked clone begins as nothing but its difference to the template.
  const isLinked = canLink(view.cluster.bootSource, host, node, info.type);
  const kept = new Set(
    view.survey.keptDisks
      .filter((disk) => disk.cluster === view.cluster.name && disk.node === node.name)
      .map((disk) => disk.index),
  );
  const data = node.dataDisks
    .filter((disk, index) => (disk.storage ?? usual) === info.name && !kept.has(index))
    .reduce((sum, disk) => sum + disk.sizeGiB, 0);
  return (isHere && !isLinked ? node.diskGiB : 0) + data;
}

function sourcesGiB(view: HostView, host: ProxmoxHost, name: string): number[] {
  const { storage } = host.proxmox;
  const { bootSource } = view.cluster;
  const file = view.image?.fileName ?? "";
  const hasImage = view.survey.images.some((image) => image.host === host.name && image.file === file);
  const hasTemplate = surveyedTemplates(view.survey).some(
    (template) => template.host === host.name && template.image === file,
  );
  const isFetched = bootSource.kind === "iso" && bootSource.volume === undefined;
  return [
    ...(needsImage(view) && name === storage.images && !hasImage ? [imageGiB] : []),
    ...(isFetched && name === storage.isos && !hasImage ? [isoGiB] : []),
    ...(bootSource.kind === "template" && name === storage.templates && !hasTemplate ? [imageGiB] : []),
  ];
}
