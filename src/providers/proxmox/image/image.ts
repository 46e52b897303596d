import { SlipwayError } from "../../../errors/index.ts";
import type { ProxmoxClient, Volume } from "../../../clients/proxmox/index.ts";
import { defineResource, same, type ReadContext } from "../../../plan/index.ts";
import { imageMissing, imageNotFetched } from "../errors.ts";
import { finishTask } from "../tasks.ts";
import type { HostRegistry } from "../host-registry.ts";
import { imageUploader } from "./image-upload.ts";
import { contentOf, volumeOf, type ImageWant } from "./image-volume.ts";
import { recallHost, volumesKey } from "../survey/own-survey.ts";

export interface ImageHave {
  host: string;
  storage: string;
  file: string;
  sizeMiB: number;
}

// Building an image that was never asked for takes the factory some minutes.
const downloadWait = { deadlineMs: 30 * 60_000, usualMs: 38_000 };

/**
 * A disk image or an ISO in a node's storage, fetched by the node itself or sent from here. Its name says its content, so it
 * never changes.
 */
export const proxmoxImage = (registry: HostRegistry) => {
  const uploader = imageUploader();
  return defineResource<ImageWant, ImageHave>({
    kind: "proxmox/image",
    face: ({ host = "" }) => ({ label: host, lane: `Image ${host}`, asNew: `image on ${host}` }),

    read: (ctx, want) => findKnownImage(ctx, registry, want),

    compare: () => same,

    async create(ctx, want) {
      const client = await registry.client(want.host);
      const { node } = registry.host(want.host).proxmox;
      if (want.local) {
        // The answer to an earlier attempt may have been lost.
        const sent = await findImage(ctx, client, node, want);
        if (sent) return sent;
        await uploader.upload(ctx, client, node, want, want.local);
        return demandImage(ctx, client, node, want);
      }
      try {
        const task =
          (await runningDownload(ctx, client, node, want.file)) ??
          (await client.downloadImage(
            node,
            want.storage,
            { ...want, content: contentOf(want.file) },
            ctx.signal,
          ));
        await finishTask(ctx, task, { what: `${node} to download ${want.file}`, ...downloadWait });
      } catch (thrown) {
        // Another run was faster; the name says the content, so it is the same image.
        const isThere = thrown instanceof SlipwayError && thrown.code === "PVE_ALREADY_EXISTS";
        if (!isThere) throw explain(thrown, want, node);
      }
      return demandImage(ctx, client, node, want);
    },

    update: async (_ctx, _want, have) => have,

    async remove(ctx, have) {
      const client = await registry.client(have.host);
      const { node } = registry.host(have.host).proxmox;
      try {
        const task = await client.removeVolume(node, have.storage, volumeOf(have), ctx.signal);
        const what = `${node} to remove ${have.file}`;
        await finishTask(ctx, task, { what, deadlineMs: 120_000, usualMs: 1_000 });
      } catch (thrown) {
        // The right to delete images is a wide one (Datastore.Allocate) and many tokens do well without it.
        if (!(thrown instanceof SlipwayError) || thrown.code !== "PVE_FORBIDDEN") throw thrown;
        ctx.log("warn", `image ${have.file} stays on ${node}: ${thrown.why}`);
      }
    },

    out: (have) => ({ image: have.file, sizeMiB: have.sizeMiB }),
  });
};

async function demandImage(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  want: ImageWant,
): Promise<ImageHave> {
  const have = await findImage(ctx, client, node, want);
  if (!have) throw imageMissing({ ...want, node });
  return have;
}

type ImagePlace = Pick<ImageWant, "host" | "storage" | "file">;

/** As the survey saw it a moment ago; asked for when that is longer ago. */
export async function findKnownImage(
  ctx: ReadContext,
  registry: HostRegistry,
  want: ImagePlace,
): Promise<ImageHave | undefined> {
  const known = recallHost(ctx, want.host)?.volumes[volumesKey(want.storage, contentOf(want.file))];
  if (known) return imageAmong(known, want);
  return findImage(ctx, await registry.client(want.host), registry.host(want.host).proxmox.node, want);
}

async function findImage(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  want: ImagePlace,
): Promise<ImageHave | undefined> {
  return imageAmong(await client.storageContent(node, want.storage, contentOf(want.file), ctx.signal), want);
}

function imageAmong(volumes: Volume[], want: ImagePlace): ImageHave | undefined {
  const found = volumes.find((each) => each.volume === volumeOf(want));
  if (!found) return undefined;
  const { host, storage, file } = want;
  return { host, storage, file, sizeMiB: Math.round(found.sizeBytes / 1024 ** 2) };
}

/** A run that was killed, or one for another cluster, may already be fetching it. */
async function runningDownload(ctx: ReadContext, client: ProxmoxClient, node: string, file: string) {
  const tasks = await client.runningTasks(node, ctx.signal);
  const found = tasks.find((task) => task.type === "download" && task.id === file);
  return found && client.task(found.upid, `download ${file} to ${node}`);
}

function explain(thrown: unknown, want: ImageWant, node: string): unknown {
  if (!(thrown instanceof SlipwayError) || thrown.code !== "PVE_TASK_FAILED") return thrown;
  const url = withoutSecrets(want.url);
  const reason = thrown.why.replaceAll(want.url, url);
  return imageNotFetched({ file: want.file, node, url, reason, isFleeting: thrown.transient });
}

/** A user's own URL may carry a password or a signed query. */
export function withoutSecrets(url: string): string {
  const parsed = new URL(url);
  return `${parsed.origin}${parsed.pathname}`;
}
