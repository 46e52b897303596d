import type { SimHost } from "../host.ts";
import type { SimPool, SimVolume } from "../state.ts";
import type { StreamHandler } from "../wire/call.ts";
import { diskFile } from "./disk-file.ts";
import { fileBytes, keptBytes, wroteContent } from "./volumes.ts";

const smallBytes = 2 ** 20;

/** Bytes go into a volume. Only the first of them are kept. */
export function uploadTo(host: SimHost, pool: SimPool, volume: SimVolume, offset: number): StreamHandler {
  const kept = Buffer.alloc(keptBytes);
  Buffer.from(volume.head, "base64").copy(kept);
  let at = offset;
  let end = Math.min(keptBytes, Math.max(offset, Buffer.byteLength(volume.head, "base64")));
  return {
    received(bytes) {
      if (at < keptBytes) {
        bytes.copy(kept, at);
        end = Math.max(end, Math.min(keptBytes, at + bytes.length));
      }
      at += bytes.length;
      // Whoever looks meanwhile sees it grow.
      volume.physicalBytes = Math.max(volume.physicalBytes, at);
    },
    async finished() {
      await host.clock.sleep(at < smallBytes ? host.latencies.allocateMs : host.latencies.uploadMs);
      wroteContent(host, pool, volume, kept.subarray(0, end), at);
    },
    aborted: () => wroteContent(host, pool, volume, kept.subarray(0, end), at),
  };
}

const pieceBytes = 262_120;

/** Bytes come out of a volume as it lies there; behind those that were kept they are zeros. */
export function downloadOf(volume: SimVolume, offset: number, length: number): StreamHandler {
  const head = diskFile(volume);
  const bytes = fileBytes(volume);
  const end = length === 0 ? bytes : Math.min(bytes, offset + length);
  return {
    begin(out) {
      for (let at = offset; at < end; at += pieceBytes) {
        const piece = Buffer.alloc(Math.min(pieceBytes, end - at));
        head.subarray(at).copy(piece);
        out.send(piece);
      }
      out.end();
    },
  };
}
