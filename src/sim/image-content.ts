import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { Clock } from "../lib/index.ts";

const magic = Buffer.from([0x51, 0x46, 0x49, 0xfb]);
const noteAt = 512;
const note = "simulated image ";
const longestNote = 2048;

/** So much of an image tells what it is. */
export const imageHeadBytes = noteAt + note.length + longestNote;

/** What a disk of Talos or of a cloud image is as a disk, before it is grown. */
const virtualBytes = 1280 * 2 ** 20;

/**
 * The beginning of an image that is only pretended: a header as QEMU's own, where the name says so, and a note of which
 * image it is. All behind it may be anything.
 */
export function imageHead(image: string): Buffer {
  const head = Buffer.alloc(imageHeadBytes);
  if (/\.(?:qcow2|img)$/.test(image.replace(/[?#].*$/, ""))) {
    magic.copy(head);
    head.writeUInt32BE(3, 4);
    head.writeUInt32BE(16, 20);
    head.writeBigUInt64BE(BigInt(virtualBytes), 24);
    head.writeUInt32BE(104, 100);
  }
  head.write(`${note}${image.slice(0, longestNote - 1)}\n`, noteAt);
  return head;
}

/** What can be told of a disk or disc by its first bytes. */
export interface ReadContent {
  format: "qcow2" | "iso" | "raw";
  /** As a disk; absent: as large as it is. */
  capacityBytes?: number;
  /** The image that is only pretended. */
  image?: string;
}

export function readContent(head: Buffer): ReadContent {
  const text = head.toString("latin1", noteAt, imageHeadBytes);
  const end = text.indexOf("\n");
  const image = text.startsWith(note) && end > 0 ? { image: text.slice(note.length, end) } : {};
  if (head.length >= 32 && head.subarray(0, 4).equals(magic))
    return { format: "qcow2", capacityBytes: Number(head.readBigUInt64BE(24)), ...image };
  const isIso = head.toString("latin1", 32_769, 32_774) === "CD001";
  return { format: isIso ? "iso" : "raw", ...image };
}

const pieceBytes = 4 * 2 ** 20;

/** All of a pretended image, as slowly as a line brings it. */
export async function* imageContent(
  image: string,
  bytes: number,
  line: { clock: Clock; downloadMs: number },
): AsyncGenerator<Buffer> {
  const zeros = Buffer.alloc(pieceBytes);
  const first = Buffer.concat([imageHead(image), zeros]).subarray(0, Math.min(pieceBytes, bytes));
  const due = (sent: number): number => Math.round((line.downloadMs * sent) / bytes);
  for (let at = 0; at < bytes; at += pieceBytes) {
    if (line.downloadMs > 0) await line.clock.sleep(due(at + pieceBytes) - due(at));
    yield at === 0 ? first : zeros.subarray(0, Math.min(pieceBytes, bytes - at));
  }
}

/** The answer begins at once, however long its content takes. */
export function sendImage(response: ServerResponse, content: AsyncIterable<Buffer>): void {
  response.flushHeaders();
  Readable.from(content).pipe(response);
}
