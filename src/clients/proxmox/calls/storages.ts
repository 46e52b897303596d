import { asFlag, asList, asNumber, asRecords, asText, sortedBy } from "../wire/answers.ts";
import type { Call } from "../wire/call.ts";
import type { Params } from "../endpoints/index.ts";
import type { Task } from "../task.ts";

export interface StorageInfo {
  name: string;
  type: string;
  /** What it may hold: `images`, `import`, `iso` … */
  content: string[];
  isActive: boolean;
  isShared: boolean;
  freeGiB: number;
  totalGiB: number;
}

export interface Volume {
  /** `local:import/x.qcow2`. */
  volume: string;
  content: string;
  sizeBytes: number;
  vmid?: number | undefined;
}

type Download = Params<"POST /nodes/{node}/storage/{storage}/download-url">;
/** What kind of file it is to Proxmox: a disk to import, or a disc to start from. */
export type ImageContent = "import" | "iso";

export interface ImageDownload {
  content: ImageContent;
  url: string;
  file: string;
  checksum?: { algorithm: string; value: string } | undefined;
}

export interface StorageCalls {
  storages(node: string, signal?: AbortSignal): Promise<StorageInfo[]>;
  storageContent(node: string, storage: string, content?: string, signal?: AbortSignal): Promise<Volume[]>;
  /** The node fetches the image by itself. An existing file is never replaced. */
  downloadImage(node: string, storage: string, image: ImageDownload, signal?: AbortSignal): Promise<Task>;
  /** Ends well when the volume is gone already. */
  removeVolume(node: string, storage: string, volume: string, signal?: AbortSignal): Promise<Task>;
}

const bytesPerGiB = 1024 ** 3;
const asGiB = (bytes: unknown): number => Math.floor((asNumber(bytes) / bytesPerGiB) * 10) / 10;

export function storageCalls(call: Call, start: Call<Task>): StorageCalls {
  return {
    storages: async (node, signal) =>
      sortedBy(
        asRecords(
          await call("GET /nodes/{node}/storage", `list storages of node ${node}`, { node }, signal),
        ).map((storage) => ({
          name: asText(storage["storage"]),
          type: asText(storage["type"]),
          content: asList(storage["content"]).toSorted(),
          isActive: asFlag(storage["active"]),
          isShared: asFlag(storage["shared"]),
          freeGiB: asGiB(storage["avail"]),
          totalGiB: asGiB(storage["total"]),
        })),
        ({ name }) => name,
      ),

    storageContent: async (node, storage, content, signal) => {
      const doing = `list the content of storage ${storage} on ${node}`;
      const params = { node, storage, content };
      const data = await call("GET /nodes/{node}/storage/{storage}/content", doing, params, signal);
      const volumes = asRecords(data).map((volume) => ({
        volume: asText(volume["volid"]),
        content: asText(volume["content"]),
        sizeBytes: asNumber(volume["size"]),
        vmid: volume["vmid"] === undefined || volume["vmid"] === null ? undefined : asNumber(volume["vmid"]),
      }));
      return sortedBy(volumes, ({ volume }) => volume);
    },

    downloadImage: (node, storage, image, signal) => {
      const doing = `download ${image.file} to storage ${storage} on ${node}`;
      const params: Download = {
        node,
        storage,
        content: image.content,
        filename: image.file,
        url: image.url,
        ...(image.checksum && {
          checksum: image.checksum.value,
          "checksum-algorithm": image.checksum.algorithm as NonNullable<Download["checksum-algorithm"]>,
        }),
      };
      return start("POST /nodes/{node}/storage/{storage}/download-url", doing, params, signal);
    },

    removeVolume: (node, storage, volume, signal) => {
      const doing = `remove ${volume} on ${node}`;
      const params = { node, storage, volume };
      return start("DELETE /nodes/{node}/storage/{storage}/content/{volume}", doing, params, signal);
    },
  };
}
