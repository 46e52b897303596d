import { failed, type Check, type Finding } from "../../../../plan/index.ts";
import type { Node } from "../../../../spec/index.ts";
import { isoMissing, storageContent, storageMissing } from "../errors.ts";
import { hostCheck, isHidden, rightsCheckId, type HostView } from "../host-view.ts";

/** Machines made from a template that is not ours need no image of ours. */
export const needsImage = ({ cluster: { bootSource } }: Pick<HostView, "cluster">): boolean =>
  bootSource.kind === "image" || bootSource.kind === "template";

export const imagesStorageCheck = (view: HostView): Check[] =>
  needsImage(view)
    ? [
        hostCheck(
          view,
          "proxmox-images-storage",
          ["Storage takes disk images to import", "Storage takes no disk images to import"],
          (ctx) => holds(view, view.host.proxmox.storage.images, "import", ctx.signal),
        ),
      ]
    : [];

/** ISOs that are brought there, or one that is there already. */
export const isosStorageCheck = (view: HostView): Check[] => {
  const { bootSource } = view.cluster;
  if (bootSource.kind !== "iso") return [];
  const { volume } = bootSource;
  return [
    hostCheck(view, "proxmox-isos-storage", ["Storage takes ISOs", "Storage takes no ISOs"], async (ctx) => {
      const storage = volume?.split(":")[0] ?? view.host.proxmox.storage.isos;
      const finding = await holds(view, storage, "iso", ctx.signal);
      if (volume === undefined || finding.status !== "ok") return finding;
      const client = await view.client();
      const isos = await client.storageContent(view.host.proxmox.node, storage, "iso", ctx.signal);
      const known = isos.map((each) => each.volume);
      return known.includes(volume)
        ? { status: "ok", needed: volume, found: volume }
        : failed(isoMissing({ host: view.host, volume, known }), { needed: volume });
    }),
  ];
};

export const disksStorageCheck = (view: HostView): Check[] =>
  [...new Set([...diskStorages(view), view.host.proxmox.storage.cloudInit])].map((storage) =>
    hostCheck(
      view,
      "proxmox-disks-storage",
      ["Storage takes disks of machines", "Storage takes no disks of machines"],
      (ctx) => holds(view, storage, "images", ctx.signal),
    ),
  );

/** Where the disks of machines lie: systems, data, templates. The drives that tell a first address may lie elsewhere. */
export function diskStorages(view: Pick<HostView, "cluster" | "host" | "placed">): string[] {
  const { storage } = view.host.proxmox;
  const nodes = view.placed.map(({ node }) => node);
  return [
    ...new Set([
      ...nodes.map((node) => node.storage ?? storage.disks),
      ...nodes.flatMap((node) => dataStorages(node, storage.disks)),
      ...(view.cluster.bootSource.kind === "template" ? [storage.templates] : []),
    ]),
  ];
}

const dataStorages = (node: Node, usual: string): string[] =>
  node.dataDisks.map((disk) => disk.storage ?? usual);

/** The node whose own lines name the storage; absent: those of the host do. */
const namerOf = ({ placed }: HostView, storage: string): Node | undefined =>
  placed
    .map(({ node }) => node)
    .find((node) => [node.storage, ...node.dataDisks.map((disk) => disk.storage)].includes(storage));

async function holds(view: HostView, name: string, needs: string, signal: AbortSignal): Promise<Finding> {
  const all = (await view.storages(signal)).filter((storage) => storage.isActive);
  const storage = all.find((each) => each.name === name);
  const needed = `${needs} on ${name}`;
  if (!storage && (await isHidden(view, `/storage/${name}`, "Datastore.", signal))) {
    return { status: "skipped", needed, because: rightsCheckId };
  }
  const by = namerOf(view, name);
  if (!storage) {
    const known = all.map((each) => each.name);
    return failed(storageMissing({ host: view.host, storage: name, known, by }), { needed });
  }
  const found = storage.content.toSorted().join(", ");
  return storage.content.includes(needs)
    ? { status: "ok", needed, found }
    : failed(storageContent({ host: view.host, storage: name, needs, content: storage.content, by }), {
        needed,
        found,
      });
}
