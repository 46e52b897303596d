import { stat } from "node:fs/promises";
import type { ProxmoxClient } from "../../../clients/proxmox/index.ts";
import {
  fileDigest,
  findImageFile,
  imageChecksumWrong,
  measureImage,
  readImage,
  type ImageMeasure,
  type LocalImage,
} from "../../../images/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { finishTask } from "../tasks.ts";
import { type ImageWant, contentOf } from "./image-volume.ts";

export interface ImageUploader {
  /** Sends an image of this machine to a node. What the file is, is found out once, however many nodes get it. */
  upload(
    ctx: StepContext,
    client: ProxmoxClient,
    node: string,
    want: ImageWant,
    from: LocalImage,
  ): Promise<void>;
}

const copyWait = { deadlineMs: 30 * 60_000, usualMs: 5_000 };

export function imageUploader(): ImageUploader {
  const measured = new Map<string, Promise<ImageMeasure>>();

  const measure = async (file: string, checksum: ImageWant["checksum"]): Promise<ImageMeasure> => {
    const { size, mtimeMs } = await stat(file);
    const key = `${file} ${size} ${mtimeMs} ${checksum?.value ?? ""}`;
    const known = measured.get(key);
    if (known) return known;
    const measuring = checked(file, checksum);
    measured.set(key, measuring);
    measuring.catch(() => measured.delete(key));
    return measuring;
  };

  return {
    async upload(ctx, client, node, want, from) {
      const file = await findImageFile(from, want.url);
      const { bytes, sha256 } = await measure(file, want.checksum);
      ctx.log("info", `uploading ${file} to ${node}`);
      const image = {
        content: contentOf(want.file),
        file: want.file,
        bytes,
        sha256,
        read: () => readImage(file),
      };
      const task = await client.uploadImage(node, want.storage, image, byPercent(ctx, bytes), ctx.signal);
      await finishTask(ctx, task, { what: `${node} to put ${want.file} into its storage`, ...copyWait });
    },
  };
}

async function checked(file: string, checksum: ImageWant["checksum"]): Promise<ImageMeasure> {
  if (checksum) {
    const { algorithm, value: needed } = checksum;
    const found = await fileDigest(file, algorithm);
    if (found !== needed.toLowerCase()) throw imageChecksumWrong({ file, algorithm, found, needed });
  }
  return measureImage(file);
}

/** Every new event is told, so only whole parts of a hundred become one. */
function byPercent(ctx: StepContext, totalBytes: number): (sentBytes: number) => void {
  let told = -1;
  return (sentBytes) => {
    const percent = Math.floor((sentBytes / Math.max(1, totalBytes)) * 100);
    if (percent === told) return;
    told = percent;
    ctx.progress(sentBytes, totalBytes, "bytes");
  };
}
