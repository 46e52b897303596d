import type { GuestDisk } from "../../guest.ts";
import type { SimVolume } from "../state.ts";

const clusterBits = 16;
export const clusterBytes = 2 ** clusterBits;
const headerBytes = 104;
const backingFormat = 0xe2792aca;
const note = "simulated disk ";

/** What a pretended disk is, beside its size. */
export interface DiskNote {
  origin?: string | undefined;
  data?: GuestDisk | undefined;
}

/**
 * The beginning of a volume as a file: of a disk that a guest writes to, a header as QEMU's own where it is a qcow2, and a note
 * of what the guest has written where its own clusters would be. So it is whole wherever its bytes are carried to.
 */
export function diskFile(volume: SimVolume): Buffer {
  const head = Buffer.from(volume.head, "base64");
  const isDisk = volume.data !== undefined || volume.backing !== undefined;
  if (!isDisk && (volume.format !== "qcow2" || head.length > 0)) return head;
  const { origin, data } = volume;
  const text = Buffer.from(`${note}${JSON.stringify({ origin, data } satisfies DiskNote)}\n`);
  const file = Buffer.alloc(clusterBytes + text.length);
  if (volume.format === "qcow2") writeHeader(file, volume);
  else head.copy(file, 0, 0, clusterBytes);
  text.copy(file, clusterBytes);
  return file;
}

function writeHeader(file: Buffer, { capacityBytes, backing }: SimVolume): void {
  file.write("QFI\u00fb", "latin1");
  file.writeUInt32BE(3, 4);
  file.writeUInt32BE(clusterBits, 20);
  file.writeBigUInt64BE(BigInt(capacityBytes), 24);
  file.writeUInt32BE(headerBytes, 100);
  if (!backing) return;
  file.writeUInt32BE(backingFormat, headerBytes);
  file.writeUInt32BE(backing.format.length, headerBytes + 4);
  file.write(backing.format, headerBytes + 8);
  const nameAt = headerBytes + 8 + Math.ceil(backing.format.length / 8) * 8 + 8;
  file.writeBigUInt64BE(BigInt(nameAt), 8);
  file.writeUInt32BE(file.write(backing.path, nameAt), 16);
}

/** What it stands on, as a header of QEMU's says it. */
export function backingIn(file: Buffer): SimVolume["backing"] {
  if (file.length < clusterBytes || file.toString("latin1", 0, 4) !== "QFI\u00fb") return undefined;
  const nameAt = Number(file.readBigUInt64BE(8));
  if (nameAt === 0) return undefined;
  const isSaid = file.readUInt32BE(headerBytes) === backingFormat;
  const format = isSaid
    ? file.toString("utf8", headerBytes + 8, headerBytes + 8 + file.readUInt32BE(headerBytes + 4))
    : "raw";
  return { path: file.toString("utf8", nameAt, nameAt + file.readUInt32BE(16)), format };
}

/** Undefined: it is no pretended disk. */
export function noteIn(file: Buffer): DiskNote | undefined {
  if (file.toString("latin1", clusterBytes, clusterBytes + note.length) !== note) return undefined;
  const end = file.indexOf("\n", clusterBytes);
  // Cut in the middle, nothing of it can be read.
  return end < 0 ? {} : (JSON.parse(file.toString("utf8", clusterBytes + note.length, end)) as DiskNote);
}
