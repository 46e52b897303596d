import type { LibvirtClient, Volume } from "../../../clients/libvirt/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { explainVolume } from "../explain.ts";
import { findImage, makeRoom, markComplete, sentBytes } from "../image/image.ts";
import type { OpenPool } from "../pool/open-pool.ts";
import { volumeXml } from "../pool/volume-xml.ts";
import { copyCutShort } from "./errors.ts";
import type { OwnVolume } from "./layout.ts";
import { rebased } from "./rebase.ts";

/** From which daemon to which. Neither needs to reach the other: all bytes pass through here. */
export interface Road {
  ctx: StepContext;
  from: LibvirtClient;
  to: LibvirtClient;
  /** Name of the host where copies come to be. */
  host: string;
  heard(bytes: number): void;
}

/** A whole volume under its own name; `image` is where the one that it stands on lies there. */
export async function copyVolume(
  road: Road,
  own: OwnVolume,
  place: OpenPool,
  image: string | undefined,
): Promise<void> {
  const { ctx, to } = road;
  const { name } = own.volume;
  // Its file grows as it is written, and what it is libvirt finds out by itself; a device has its size from the start.
  const capacityBytes = own.isBlock ? own.found.capacityBytes : 0;
  const xml = volumeXml({
    name,
    format: "raw",
    capacityBytes,
    isThin: own.isBlock ? undefined : true,
  });
  try {
    const copy = await to.createVolume(place.pool, xml, ctx.signal);
    await send(road, own, copy, image);
  } catch (thrown) {
    throw explainVolume(thrown, name, place.pool.name);
  }
}

async function send(road: Road, own: OwnVolume, copy: Volume, image: string | undefined): Promise<void> {
  const { ctx, from, to } = road;
  const { name } = own.volume;
  let sent = 0;
  const counted = async function* (content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of content) {
      yield piece;
      sent += piece.length;
      road.heard(piece.length);
    }
  };
  await from.downloadVolume(
    own.volume,
    (content) =>
      to.uploadVolume(
        copy,
        counted(image === undefined ? content : rebased(content, name, image)),
        ctx.signal,
      ),
    ctx.signal,
  );
  const found = own.isBlock ? own.bytes : await sentBytes(ctx, to, copy);
  if (sent !== found) throw copyCutShort({ volume: name, sent, found });
}

/** The image that disks stand on, unless it is there. Machines share it, and each may come at the same time. */
export const copyImage = (road: Road, base: OwnVolume, place: OpenPool): Promise<void> => {
  const { ctx, to, host } = road;
  const file = base.volume.name;
  const key = { host, storage: place.pool.name, file };
  return ctx.holding(`${host}/${file}`, 1, async () => {
    if ((await findImage(ctx, to, key))?.isComplete) return;
    if (await makeRoom(ctx, to, place, key)) return;
    await copyVolume(road, base, place, undefined);
    await markComplete(ctx, to, place, file);
  });
};
