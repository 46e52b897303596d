import type { FactoryClient } from "../../../clients/factory/index.ts";
import type { LibvirtClient, Volume } from "../../../clients/libvirt/index.ts";
import { dialDirect, firstAt, readXml, type Dial } from "../../../lib/index.ts";
import { defineResource, same, type ReadContext, type Seen, type StepContext } from "../../../plan/index.ts";
import { imageFormatUnfit, imageSizeUnknown, imageTakenOver, poolMissing } from "../errors.ts";
import { explainVolume } from "../explain.ts";
import type { HostRegistry } from "../host-registry.ts";
import type { FetchWay } from "./fetch-image.ts";
import { openImage, type ImageSource } from "./image-source.ts";
import { completeMark } from "../names.ts";
import { hasCode, openPool, unlessMissing, volumesIn, type OpenPool } from "../pool/open-pool.ts";
import { bytesOf } from "../../../clients/libvirt/wire/index.ts";
import { readVolume, volumeXml, type VolumeXml } from "../pool/volume-xml.ts";

export interface ImageKey {
  host: string;
  storage: string;
  file: string;
}

export interface ImageWant extends ImageKey, ImageSource {
  /** What the factory must have been told once before it builds the image. */
  schematic?: { factory: string; id: string; text: string } | undefined;
}

export interface ImageHave extends ImageKey {
  /** Sent to its end: a run that is cut leaves half of an image, and nothing else shows it. */
  isComplete: boolean;
  sizeMiB: number;
}

export interface ImageParts {
  registry: HostRegistry;
  openFactory?: ((url: string) => FactoryClient) | undefined;
  dial?: Dial | undefined;
  /** Who may vouch for servers of images, PEM. Left out: those that this computer trusts. */
  authorities?: string[] | undefined;
}

/** No sender takes longer than this between two pieces of an image. */
const quietMs = 5_000;
const othersWait = { probe: "volume", deadlineMs: 30 * 60_000, everyMs: 1_000, usualMs: 30_000 };

/** The disk image that machines of a host stand on. Its name says its content, so it never changes. */
export const libvirtImage = ({ registry, openFactory, dial = dialDirect, authorities }: ImageParts) => {
  const send = async (ctx: StepContext, want: ImageWant): Promise<ImageHave> => {
    const client = await registry.client(want.host);
    const place = await openPool(client, want.storage, ctx.signal);
    const doing = `put image ${want.file} on ${want.host}`;
    if (!place) throw poolMissing({ doing, pool: want.storage, host: want.host });
    if (place.isBlock && !want.file.endsWith(".raw")) throw imageFormatUnfit({ ...want, pool: want.storage });
    if (await makeRoom(ctx, client, place, want)) return demandImage(ctx, client, want);
    if (openFactory && want.schematic && !want.local) {
      const { factory, id, text } = want.schematic;
      await openFactory(factory).register({ id, text }, ctx.signal);
    }
    await fill(ctx, client, place, want, { dial, clock: ctx.clock, authorities });
    await markComplete(ctx, client, place, want.file);
    return demandImage(ctx, client, want);
  };

  return defineResource<ImageWant, ImageHave>({
    kind: "libvirt/image",
    face: ({ host = "" }) => ({ label: host, lane: `Image ${host}`, asNew: `image on ${host}` }),

    read: async (ctx, want) => findImage(ctx, await registry.client(want.host), want),

    compare: (_want, have) =>
      have.isComplete
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "image", from: "half sent", to: "complete" }],
          },

    // Clusters share the image of a host, and each has a step for it.
    create: (ctx, want) => ctx.holding(`${want.host}/${want.file}`, 1, () => send(ctx, want)),
    update: (ctx, want) => ctx.holding(`${want.host}/${want.file}`, 1, () => send(ctx, want)),

    async remove(ctx, have) {
      const client = await registry.client(have.host);
      const place = await openPool(client, have.storage, ctx.signal);
      if (!place) return;
      const user = await volumeOnTop(ctx, client, place, have.file);
      if (user !== undefined) {
        ctx.log("warn", `image ${have.file} stays on ${have.host}: volume ${user} is based on it`);
        return;
      }
      // First what says that it is complete, so that half of it is never taken for the whole.
      for (const name of [completeMark(have.file), have.file]) await removeVolume(ctx, client, place, name);
    },

    out: (have) => ({ image: have.file, sizeMiB: have.sizeMiB }),
  });
};

/** Says that an image was sent to its end. */
export async function markComplete(
  ctx: StepContext,
  client: LibvirtClient,
  place: OpenPool,
  file: string,
): Promise<void> {
  // Devices of no size there are none.
  const mark = volumeOf(place, completeMark(file), place.isBlock ? 1 : 0);
  await client.createVolume(place.pool, volumeXml(mark), ctx.signal).catch((thrown: unknown) => {
    if (!hasCode(thrown, "LIBVIRT_ALREADY_EXISTS")) throw thrown;
  });
}

/** Undefined while neither the image nor a part of it is there. */
export async function findImage(
  ctx: ReadContext,
  client: LibvirtClient,
  { host, storage, file }: ImageKey,
): Promise<ImageHave | undefined> {
  const volumes = await volumesIn(client, await openPool(client, storage, ctx.signal), ctx.signal);
  const [image, mark] = [volumes.get(file), volumes.get(completeMark(file))];
  if (!image && !mark) return undefined;
  const info = image && (await unlessMissing(() => client.volumeInfo(image, ctx.signal)));
  const sizeMiB = Math.round((info?.allocatedBytes ?? 0) / 2 ** 20);
  return { host, storage, file, isComplete: info !== undefined && mark !== undefined, sizeMiB };
}

async function demandImage(ctx: StepContext, client: LibvirtClient, want: ImageWant): Promise<ImageHave> {
  const have = await findImage(ctx, client, want);
  return have ?? { host: want.host, storage: want.storage, file: want.file, isComplete: false, sizeMiB: 0 };
}

/**
 * Takes away what a run has left that was cut. libvirt does not say whether somebody else is just sending it, so it is
 * looked at until it has stopped to grow. Says whether it is complete by then.
 */
export async function makeRoom(
  ctx: StepContext,
  client: LibvirtClient,
  place: OpenPool,
  want: ImageKey,
): Promise<boolean> {
  let last = { bytes: -1, atMs: 0 };
  const look = async (): Promise<Seen<boolean>> => {
    const have = await findImage(ctx, client, want);
    const volume = await unlessMissing(() => client.findVolume(place.pool, want.file, ctx.signal));
    if (have?.isComplete || !volume) return { done: true, value: have?.isComplete === true };
    const bytes = await sentBytes(ctx, client, volume);
    if (bytes !== last.bytes) last = { bytes, atMs: ctx.clock.now() };
    if (ctx.clock.now() - last.atMs >= quietMs) return { done: true, value: false };
    return { done: false, seen: `${Math.round(bytes / 2 ** 20)} MiB are there` };
  };
  const what = `what an earlier run sent of ${want.file} to ${want.host}`;
  const first = await look();
  const isComplete = first.done ? first.value : await ctx.waitFor({ what, ...othersWait }, look);
  if (!isComplete)
    for (const name of [completeMark(want.file), want.file]) await removeVolume(ctx, client, place, name);
  return isComplete;
}

/** As long as its file; the size of a disk image as a disk is another. */
export async function sentBytes(ctx: StepContext, client: LibvirtClient, volume: Volume): Promise<number> {
  const xml = await unlessMissing(() => client.volumeXml(volume, ctx.signal));
  return xml === undefined ? 0 : (bytesOf(firstAt(readXml(xml), "physical"), "bytes") ?? 0);
}

/** A file grows as it is written; a block device must be large enough from the start. */
async function fill(
  ctx: StepContext,
  client: LibvirtClient,
  place: OpenPool,
  want: ImageWant,
  way: FetchWay,
): Promise<void> {
  let totalBytes = 0;
  const tell = byPercent(
    (done) => ctx.progress(done, totalBytes, "bytes"),
    () => totalBytes,
  );
  const image = await openImage(want, way, tell, ctx.signal);
  totalBytes = image.totalBytes ?? 0;
  if (place.isBlock && image.bytes === undefined)
    throw imageSizeUnknown({ file: want.file, pool: want.storage });
  const { file: name } = want;
  const capacityBytes = place.isBlock ? (image.bytes ?? 0) : 0;
  const xml = volumeXml(volumeOf(place, name, capacityBytes));
  let sent = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of image.content) {
      yield chunk;
      sent += chunk.length;
    }
  };
  try {
    const volume = await client.createVolume(place.pool, xml, ctx.signal);
    await client.uploadVolume(volume, counted(), ctx.signal);
    // Somebody who took it for left behind has begun anew under the same name.
    const found = await sentBytes(ctx, client, volume);
    if (!place.isBlock && found !== sent) throw imageTakenOver({ ...want, sent, found });
  } catch (thrown) {
    throw explainVolume(thrown, name, want.storage);
  }
}

/** Files take room as they are written. A thin volume of LVM would be a snapshot, which breaks when it is full. */
const volumeOf = ({ isBlock }: OpenPool, name: string, capacityBytes: number): VolumeXml => ({
  name,
  format: "raw",
  capacityBytes,
  isThin: isBlock ? undefined : true,
});

/** Every new event is told, so only whole parts of a hundred become one. */
function byPercent(tell: (done: number) => void, total: () => number): (done: number) => void {
  let told = -1;
  return (done) => {
    const percent = Math.floor((done / Math.max(1, total())) * 100);
    if (total() === 0 || percent === told) return;
    told = percent;
    tell(done);
  };
}

async function volumeOnTop(
  ctx: StepContext,
  client: LibvirtClient,
  place: OpenPool,
  file: string,
): Promise<string | undefined> {
  const volumes = await volumesIn(client, place, ctx.signal);
  const path = `${place.path}/${file}`;
  const found = await Promise.all(
    [...volumes.values()].map(async (volume) => {
      const xml = await unlessMissing(() => client.volumeXml(volume, ctx.signal));
      return xml !== undefined && readVolume(xml).backing?.path === path ? [volume.name] : [];
    }),
  );
  return found.flat()[0];
}

async function removeVolume(
  ctx: StepContext,
  client: LibvirtClient,
  place: OpenPool,
  name: string,
): Promise<void> {
  const volume = await unlessMissing(() => client.findVolume(place.pool, name, ctx.signal));
  if (volume) await unlessMissing(() => client.removeVolume(volume, ctx.signal));
}
