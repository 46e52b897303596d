import type { Duplex } from "node:stream";
import {
  decode,
  domain,
  encode,
  encodeHeader,
  errorBody,
  i32,
  messages,
  network,
  optional,
  PacketReader,
  packetStatus,
  packetTypes,
  programs,
  record,
  str,
  type Packet,
} from "../../../clients/libvirt/wire/index.ts";
import type { LifecycleEvent, SimHost } from "../host.ts";
import { internalError, notSupported, Refusal, speakers } from "../refusal.ts";
import { strike } from "./faults.ts";
import type { Caller, ServedCall, StreamHandler } from "./call.ts";

/** What libvirt sends behind the four fields that a client reads of an error. */
const errorRest = record({
  domain: optional(domain),
  texts: record({ first: optional(str), second: optional(str), third: optional(str) }),
  numbers: record({ first: i32, second: i32 }),
  network: optional(network),
});

const nothing = Buffer.alloc(0);
const asError = 2;
const keepalive = { ping: 1, pong: 2 } as const;
const ofLifecycle = 0;

export type CallTable = ReadonlyMap<string, ServedCall>;

export const callKey = ({ program, number }: { program: number; number: number }): string =>
  `${program}/${number}`;

/** One connection to a simulated daemon. Calls are answered as each is done, in whatever order. */
export class Session implements Caller {
  readonly #socket: Duplex;
  readonly #host: SimHost;
  readonly #calls: CallTable;
  readonly #streams = new Map<number, StreamHandler>();
  readonly #wishes = new Map<number, number>();
  #nextWish = 0;

  constructor(socket: Duplex, host: SimHost, calls: CallTable) {
    this.#socket = socket;
    this.#host = host;
    this.#calls = calls;
    const reader = new PacketReader();
    socket.on("data", (chunk: Buffer) => {
      try {
        for (const packet of reader.push(chunk)) this.#receive(packet);
      } catch {
        socket.destroy();
      }
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#closed());
  }

  tell({ domain: of, event, detail }: LifecycleEvent): void {
    for (const [callback, wanted] of this.#wishes) {
      if (wanted !== ofLifecycle) continue;
      const payload = encode(messages.lifecycle.body, { callback, domain: of, event, detail });
      this.#write({
        program: programs.remote,
        procedure: messages.lifecycle.number,
        type: packetTypes.message,
        serial: 0,
        status: 0,
        payload,
      });
    }
  }

  watch(event: number): number {
    this.#wishes.set(this.#nextWish, event);
    return this.#nextWish++;
  }

  unwatch(wish: number): void {
    this.#wishes.delete(wish);
  }

  leave(): void {
    this.#wishes.clear();
  }

  cut(): void {
    this.#socket.destroy();
  }

  #receive(packet: Packet): void {
    if (packet.program === programs.keepalive) {
      if (packet.procedure === keepalive.ping)
        this.#write({ ...packet, procedure: keepalive.pong, payload: nothing });
      return;
    }
    if (packet.type === packetTypes.stream) this.#streamed(packet);
    else if (packet.type === packetTypes.call) void this.#answer(packet);
  }

  async #answer(packet: Packet): Promise<void> {
    const call = this.#calls.get(callKey({ program: packet.program, number: packet.procedure }));
    let stream: StreamHandler | undefined;
    try {
      if (!call) throw notSupported("rpc", `procedure ${packet.procedure}`);
      const args = decode(call.procedure.args, packet.payload);
      const fate = await strike(this.#host, call.name, args, () => this.cut());
      if (fate === "silence") return;
      const openStream = (handler: StreamHandler): void => {
        stream = handler;
        this.#streams.set(packet.serial, handler);
      };
      const result = await call.answer({ host: this.#host, caller: this, openStream }, args);
      if (fate === "lost-reply") return this.cut();
      const payload = encode(call.procedure.result, result as never);
      this.#write({ ...packet, type: packetTypes.reply, status: packetStatus.ok, payload });
      stream?.begin?.(this.#streamOut(packet));
    } catch (thrown) {
      this.#streams.delete(packet.serial);
      const refusal = thrown instanceof Refusal ? thrown : internalError("qemu", String(thrown));
      this.#write({
        ...packet,
        type: packetTypes.reply,
        status: packetStatus.error,
        payload: errorOf(refusal),
      });
    }
  }

  #streamOut(packet: Packet) {
    const piece = (status: number, payload: Buffer): void => {
      if (this.#streams.has(packet.serial))
        this.#write({ ...packet, type: packetTypes.stream, status, payload });
    };
    return {
      send: (bytes: Buffer) => piece(packetStatus.continue, bytes),
      end: () => piece(packetStatus.continue, nothing),
      fail: (refusal: Refusal) => {
        piece(packetStatus.error, errorOf(refusal));
        this.#streams.delete(packet.serial);
      },
    };
  }

  #streamed(packet: Packet): void {
    const stream = this.#streams.get(packet.serial);
    if (!stream) return;
    if (packet.status === packetStatus.continue) stream.received?.(packet.payload);
    else if (packet.status === packetStatus.error) this.#endStream(packet, stream);
    else void this.#finishStream(packet, stream);
  }

  #endStream({ serial }: Packet, stream: StreamHandler): void {
    this.#streams.delete(serial);
    stream.aborted?.();
  }

  /** What was sent is safe only when this is answered. */
  async #finishStream(packet: Packet, stream: StreamHandler): Promise<void> {
    try {
      await stream.finished?.();
      this.#write({ ...packet, status: packetStatus.ok, payload: nothing });
    } catch (thrown) {
      const refusal = thrown instanceof Refusal ? thrown : internalError("storage", String(thrown));
      this.#write({ ...packet, status: packetStatus.error, payload: errorOf(refusal) });
    } finally {
      this.#streams.delete(packet.serial);
    }
  }

  #write(packet: Packet): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(Buffer.concat([encodeHeader(packet), packet.payload]));
  }

  #closed(): void {
    this.#wishes.clear();
    for (const stream of this.#streams.values()) stream.aborted?.();
    this.#streams.clear();
  }
}

const errorOf = ({ code, speaker, message }: Refusal): Buffer =>
  Buffer.concat([
    encode(errorBody, { code, domain: speakers[speaker], message, level: asError }),
    encode(errorRest, {
      domain: undefined,
      texts: { first: message, second: undefined, third: undefined },
      numbers: { first: 0, second: 0 },
      network: undefined,
    }),
  ]);
