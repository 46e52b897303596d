import type { Check, Finding } from "../../../plan/index.ts";
import { storageContent, storageMissing } from "./errors.ts";
import { failed, hostCheck, type HostView } from "./host-view.ts";

export const imagesStorageCheck = (view: HostView): Check =>
  hostCheck(view, "proxmox-images-storage", "Storage takes disk images to import", (ctx) =>
    holds(view, view.host.proxmox.storage.images, "import", ctx.signal),
  );

/** The disks of machines, and data disks that name a storage of their own. */
export const disksStorageCheck = (view: HostView): Check[] =>
  diskStorages(view).map((storage) =>
    hostCheck(view, "proxmox-disks-storage", "Storage takes disks of machines", (ctx) =>
      holds(view, storage, "images", ctx.signal),
    ),
  );

export const diskStorages = (view: HostView): string[] => {
  const others = view.placed.flatMap(({ node }) => node.dataDisks.flatMap((disk) => disk.storage ?? []));
  return [...new Set([view.host.proxmox.storage.disks, ...others])];
};

async function holds(view: HostView, name: string, needs: string, signal: AbortSignal): Promise<Finding> {
  const all = (await view.storages(signal)).filter((storage) => storage.isActive);
  const storage = all.find((each) => each.name === name);
  const needed = `${needs} on ${name}`;
  if (!storage) {
    return failed(storageMissing({ host: view.host, storage: name, known: all.map((each) => each.name) }), {
      needed,
    });
  }
  const found = storage.content.toSorted().join(", ");
  return storage.content.includes(needs)
    ? { status: "ok", needed, found }
    : failed(storageContent({ host: view.host, storage: name, needs, content: storage.content }), {
        needed,
        found,
      });
}
