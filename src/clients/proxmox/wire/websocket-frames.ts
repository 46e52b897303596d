/** What a frame carries (RFC 6455, 5.2). Text and binary are bytes to us. */
export type Opcode = "continuation" | "text" | "binary" | "close" | "ping" | "pong";

export interface Frame {
  opcode: Opcode;
  payload: Buffer;
}

const opcodes = new Map<number, Opcode>([
  [0, "continuation"],
  [1, "text"],
  [2, "binary"],
  [8, "close"],
  [9, "ping"],
  [10, "pong"],
]);
const numbers = new Map([...opcodes].map(([number, opcode]) => [opcode, number]));

/** Longer frames are nothing a terminal sends. */
const mostPayload = 1024 * 1024;
const mostControl = 125;

/** The other side does not keep to RFC 6455, or sends more than anybody can want. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

/** A whole message in one frame. Whoever connects masks what he sends; `mask` is four random bytes. */
export function encodeFrame(opcode: Opcode, payload: Buffer, mask: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | (numbers.get(opcode) ?? 0);
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  const masked = Buffer.from(payload);
  for (const [at, byte] of masked.entries()) masked[at] = byte ^ (mask[at % 4] ?? 0);
  return Buffer.concat([head, mask, masked]);
}

/** Cuts what a server sends into frames, wherever the network has cut it. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  #isInMessage = false;

  /** The frames that are whole by now. */
  push(bytes: Buffer): Frame[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const frames: Frame[] = [];
    for (;;) {
      const frame = this.#next();
      if (frame === undefined) return frames;
      frames.push(frame);
    }
  }

  #next(): Frame | undefined {
    const rest = this.#rest;
    if (rest.length < 2) return undefined;
    const [first = 0, second = 0] = rest;
    const isLast = (first & 0x80) !== 0;
    const opcode = opcodes.get(first & 0x0f);
    if ((first & 0x70) !== 0) throw new FrameError("an extension was used that was not negotiated");
    if (opcode === undefined) throw new FrameError(`unknown opcode ${first & 0x0f}`);
    if ((second & 0x80) !== 0) throw new FrameError("a server masked its frame");
    const short = second & 0x7f;
    const at = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (rest.length < at) return undefined;
    const length = short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : readLong(rest);
    if (length > mostPayload) throw new FrameError(`a frame of ${length} bytes`);
    this.#checkOrder(opcode, isLast, length);
    if (rest.length < at + length) return undefined;
    this.#rest = rest.subarray(at + length);
    if (!isControl(opcode)) this.#isInMessage = !isLast;
    return { opcode, payload: rest.subarray(at, at + length) };
  }

  /** Messages may come in pieces, with control frames between these; control frames never do. */
  #checkOrder(opcode: Opcode, isLast: boolean, length: number): void {
    if (isControl(opcode)) {
      if (!isLast || length > mostControl) throw new FrameError(`a ${opcode} in pieces or too long`);
    } else if ((opcode === "continuation") !== this.#isInMessage) {
      throw new FrameError("a piece of a message out of order");
    }
  }
}

const isControl = (opcode: Opcode): boolean => opcode === "close" || opcode === "ping" || opcode === "pong";

const readLong = (bytes: Buffer): number => Number(bytes.readBigUInt64BE(2));
