import type { StorageInfo } from "../../../clients/proxmox/index.ts";
import type { Asking } from "../../../plan/index.ts";
import { noStorageFor } from "../errors.ts";
import type { FoundNode } from "./read-node.ts";

/** Where disks and images go. */
export interface ChosenStorages {
  /** Lines of a host in the file. */
  lines: string[];
  freeGiB(node: FoundNode): number;
}

/** Disks on it are made in no time and can be cloned and snapshotted. */
const thinTypes = new Set(["lvmthin", "zfspool", "rbd", "btrfs"]);

/** Storages that all of these nodes have and that may hold what is wanted. */
export async function chooseStorages(nodes: FoundNode[], asking: Asking): Promise<ChosenStorages> {
  const forDisks = candidates(nodes, "images");
  const forImages = candidates(nodes, "import");
  if (forDisks.length === 0)
    throw noStorageFor({ content: "images", label: "Disk image", seen: seen(nodes) });
  if (forImages.length === 0) throw noStorageFor({ content: "import", label: "Import", seen: seen(nodes) });
  const disks = await choose(asking, "storage", "Storage for the disks of machines", forDisks);
  const images = await choose(asking, "image-storage", "Storage for images", forImages);
  const freeGiB = (node: FoundNode): number => node.storages.find(({ name }) => name === disks)?.freeGiB ?? 0;
  return {
    lines: [`storage: { disks: ${disks}, images: ${images} } # images need the content type "Import"`],
    freeGiB,
  };
}

function candidates(nodes: FoundNode[], content: string): StorageInfo[] {
  const [first, ...others] = nodes;
  const holds = (storage: StorageInfo): boolean => storage.content.includes(content);
  return (first?.storages ?? [])
    .filter(holds)
    .filter(({ name }) =>
      others.every((node) => node.storages.some((storage) => storage.name === name && holds(storage))),
    )
    .toSorted((one, other) => rank(other) - rank(one) || other.freeGiB - one.freeGiB);
}

const rank = ({ type }: StorageInfo): number => Number(thinTypes.has(type));

async function choose(asking: Asking, key: string, text: string, from: StorageInfo[]): Promise<string> {
  const names = from.map(({ name }) => name);
  return asking.ask({
    ...{ key, text, proposal: names[0], isQuiet: names.length === 1 },
    choices: from.map(({ name, type, freeGiB }) => ({
      value: name,
      label: `${name}, ${type}, ${Math.floor(freeGiB)} GiB free`,
    })),
  });
}

const seen = (nodes: FoundNode[]): string[] =>
  nodes.flatMap(({ node, storages }) =>
    storages.map(({ name, content }) => `${name} on ${node} (${content.join(", ")})`),
  );
