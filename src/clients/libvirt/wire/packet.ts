/** One message on the wire. Its first four bytes are the length of all of it. */
export interface Packet {
  program: number;
  procedure: number;
  type: number;
  serial: number;
  status: number;
  payload: Buffer;
}

/** The version of the remote protocol; libvirt has never had another. */
export const protocolVersion = 1;
export const programs = { remote: 0x20008086, qemu: 0x20008087, keepalive: 0x6b656570 } as const;
export const packetTypes = { call: 0, reply: 1, message: 2, stream: 3, hole: 6 } as const;
export const packetStatus = { ok: 0, error: 1, continue: 2 } as const;

const headerLength = 28;
const longestPacket = 33_554_436;

/** What goes before the payload. */
export function encodeHeader(packet: Packet): Buffer {
  const header = Buffer.alloc(headerLength);
  const { program, procedure, type, serial, status, payload } = packet;
  const words = [headerLength + payload.length, program, protocolVersion, procedure, type, serial, status];
  words.forEach((word, index) => header.writeUInt32BE(word, index * 4));
  return header;
}

/** Cuts a byte stream into packets, however the bytes arrive. */
export class PacketReader {
  private chunks: Buffer[] = [];
  private length = 0;

  push(chunk: Buffer): Packet[] {
    this.chunks.push(chunk);
    this.length += chunk.length;
    const packets: Packet[] = [];
    for (let next = this.next(); next; next = this.next()) packets.push(next);
    return packets;
  }

  private next(): Packet | undefined {
    if (this.length < 4) return undefined;
    const size = this.peek(4).readUInt32BE();
    if (size < headerLength || size > longestPacket)
      throw new Error(`a packet claims to be ${size} bytes long`);
    if (this.length < size) return undefined;
    const whole = this.peek(size);
    this.chunks = [whole.subarray(size)];
    this.length -= size;
    const word = (index: number): number => whole.readUInt32BE(index * 4);
    return {
      program: word(1),
      procedure: word(3),
      type: word(4),
      serial: word(5),
      status: word(6),
      payload: whole.subarray(headerLength, size),
    };
  }

  /** Chunks are joined only when a packet is there to be read. */
  private peek(size: number): Buffer {
    if ((this.chunks[0]?.length ?? 0) < size) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0] ?? Buffer.alloc(0);
  }
}
