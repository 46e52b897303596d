import { setMaxListeners } from "node:events";
import type { Duplex } from "node:stream";
import { callFailed, connectionLost } from "../errors.ts";
import { encodeHeader, PacketReader, packetStatus, packetTypes, programs, type Packet } from "./packet.ts";
import { errorBody, type Procedure } from "./procedures.ts";
import { decode, encode, type Xdr } from "./xdr.ts";

interface Waiting {
  resolve(payload: Buffer): void;
  reject(error: Error): void;
}

/** A stream of bytes that a call has opened, as long as it lasts. */
interface OpenStream {
  received(packet: Packet): void;
  failed(error: Error): void;
}

/** Sent in pieces that even the oldest servers take. */
const pieceBytes = 262_120;
/** So much may wait to be sent: with less, the daemon waits for us while we read on. */
const mostWaitingBytes = 4 * 2 ** 20;
const pong = 2;

/**
 * One connection to a libvirt daemon. Many calls may be under way at once; answers find their call by its number, in
 * whatever order they come.
 */
export class LibvirtConnection {
  private readonly socket: Duplex;
  private readonly waiting = new Map<number, Waiting>();
  private readonly streams = new Map<number, OpenStream>();
  private readonly listeners = new Map<number, Set<(payload: Buffer) => void>>();
  private lastSerial = 0;
  private end: Error | undefined;
  private room: Promise<void> | undefined;

  constructor(socket: Duplex) {
    this.socket = socket;
    const reader = new PacketReader();
    socket.on("data", (chunk: Buffer) => {
      try {
        for (const packet of reader.push(chunk)) this.receive(packet);
      } catch (thrown) {
        this.fail(thrown as Error);
        socket.destroy();
      }
    });
    socket.on("error", (error) => this.fail(error));
    socket.on("close", () => this.fail(new Error("the daemon closed the connection")));
  }

  /** `doing` completes "Cannot …". */
  async call<Args, Result>(
    procedure: Procedure<Args, Result>,
    args: Args,
    doing: string,
    signal?: AbortSignal,
  ): Promise<Result> {
    return decode(procedure.result, await this.ask(this.nextSerial(), procedure, args, doing, signal));
  }

  /** Sends bytes into the stream that the call opens. When it returns, the daemon has them all. */
  async send<Args>(
    procedure: Procedure<Args, void>,
    args: Args,
    source: AsyncIterable<Buffer>,
    doing: string,
    limited: Limited,
    signal?: AbortSignal,
  ): Promise<void> {
    const serial = this.nextSerial();
    const piece = (payload: Buffer, status: number): Promise<void> =>
      this.write({ ...this.packetOf(procedure, serial), type: packetTypes.stream, status, payload });
    const stream: { refused?: Error } = {};
    const done = new Promise<void>((resolve, reject) => {
      this.streams.set(serial, {
        received: (packet) => (packet.status === packetStatus.ok ? resolve() : undefined),
        failed: (error) => {
          stream.refused = error;
          reject(error);
        },
      });
    });
    done.catch(() => undefined);
    try {
      await limited(doing, () => this.ask(serial, procedure, args, doing, signal));
      for await (const chunk of source) {
        for (let at = 0; at < chunk.length && !stream.refused; at += pieceBytes) {
          signal?.throwIfAborted();
          await piece(chunk.subarray(at, at + pieceBytes), packetStatus.continue);
        }
        if (stream.refused) break;
      }
      if (!stream.refused) await piece(Buffer.alloc(0), packetStatus.ok);
      await limited(doing, () => done);
    } catch (thrown) {
      if (!stream.refused && !this.end) await piece(Buffer.alloc(0), packetStatus.error);
      throw this.explain(thrown, doing);
    } finally {
      this.streams.delete(serial);
    }
  }

  /** Takes bytes out of the stream that the call opens. What is not read yet makes the daemon wait: the connection is its own. */
  async *take<Args>(
    procedure: Procedure<Args, void>,
    args: Args,
    doing: string,
    limited: Limited,
    signal?: AbortSignal,
  ): AsyncGenerator<Buffer> {
    const serial = this.nextSerial();
    const inbox = new Inbox();
    const stop = (): void => inbox.fail(signal?.reason as Error);
    signal?.addEventListener("abort", stop, { once: true });
    this.streams.set(serial, {
      received: ({ status, payload }) => {
        inbox.put(status === packetStatus.continue && payload.length > 0 ? payload : undefined);
        if (inbox.bytes > mostWaitingBytes) this.socket.pause();
      },
      failed: (error) => inbox.fail(error),
    });
    const next = async (): Promise<Buffer | undefined> => {
      if (inbox.bytes === 0) this.socket.resume();
      return inbox.isEmpty ? limited(doing, () => inbox.take()) : inbox.take();
    };
    try {
      await limited(doing, () => this.ask(serial, procedure, args, doing, signal));
      for (let piece = await next(); piece; piece = await next()) yield piece;
      // Only the answer to this says that nothing went wrong at its end.
      const packet = { ...this.packetOf(procedure, serial), type: packetTypes.stream };
      await this.write({ ...packet, status: packetStatus.ok, payload: Buffer.alloc(0) });
      await next();
    } catch (thrown) {
      throw this.explain(thrown, doing);
    } finally {
      signal?.removeEventListener("abort", stop);
      this.streams.delete(serial);
    }
  }

  /** Opens a stream both ways, as of a console. */
  async open<Args>(
    procedure: Procedure<Args, void>,
    args: Args,
    doing: string,
    on: { data(bytes: Buffer): void; end(error?: Error): void },
  ): Promise<{ write(bytes: Buffer): Promise<void>; close(): Promise<void> }> {
    const serial = this.nextSerial();
    const packet = { ...this.packetOf(procedure, serial), type: packetTypes.stream };
    const end = (error?: Error): void => {
      if (this.streams.delete(serial)) on.end(error);
    };
    this.streams.set(serial, {
      received: ({ status, payload }) => {
        if (status === packetStatus.continue && payload.length > 0) on.data(payload);
        else if (status === packetStatus.ok || payload.length === 0) end();
      },
      failed: (error) => end(this.explain(error, doing) as Error),
    });
    try {
      await this.ask(serial, procedure, args, doing);
    } catch (thrown) {
      this.streams.delete(serial);
      throw thrown;
    }
    return {
      write: (payload) => this.write({ ...packet, status: packetStatus.continue, payload }),
      close: async () => {
        if (!this.streams.delete(serial)) return;
        await this.write({ ...packet, status: packetStatus.ok, payload: Buffer.alloc(0) });
      },
    };
  }

  /** Listens to what the daemon tells by itself; returns how to stop. */
  on<T>(message: { number: number; body: Xdr<T> }, listener: (body: T) => void): () => void {
    const heard = (payload: Buffer): void => listener(decode(message.body, payload));
    const all = this.listeners.get(message.number) ?? new Set();
    this.listeners.set(message.number, all.add(heard));
    return () => void all.delete(heard);
  }

  get isOpen(): boolean {
    return this.end === undefined;
  }

  close(): void {
    this.socket.destroy();
  }

  private nextSerial(): number {
    this.lastSerial += 1;
    return this.lastSerial;
  }

  private packetOf<Args, Result>(procedure: Procedure<Args, Result>, serial: number) {
    const { program, number } = procedure;
    return { program, procedure: number, serial, type: packetTypes.call, status: packetStatus.ok };
  }

  private async ask<Args, Result>(
    serial: number,
    procedure: Procedure<Args, Result>,
    args: Args,
    doing: string,
    signal?: AbortSignal,
  ): Promise<Buffer> {
    signal?.throwIfAborted();
    if (this.end) throw connectionLost({ doing, reason: this.end.message });
    const packet = { ...this.packetOf(procedure, serial), payload: encode(procedure.args, args) };
    const answer = new Promise<Buffer>((resolve, reject) => {
      // The daemon goes on with what it was asked; only nobody waits for it any more.
      const giveUp = (): void => reject(signal?.reason as Error);
      // All calls of a run listen to one signal.
      if (signal) setMaxListeners(0, signal);
      signal?.addEventListener("abort", giveUp, { once: true });
      const settle = (): void => signal?.removeEventListener("abort", giveUp);
      this.waiting.set(serial, {
        resolve: (payload) => (settle(), resolve(payload)),
        reject: (error) => (settle(), reject(error)),
      });
    });
    // Lost while writing, both fail, and only one of them is waited for.
    answer.catch(() => undefined);
    try {
      await this.write(packet);
      return await answer;
    } catch (thrown) {
      throw this.explain(thrown, doing);
    } finally {
      this.waiting.delete(serial);
    }
  }

  private receive(packet: Packet): void {
    if (packet.program === programs.keepalive) {
      void this.write({ ...packet, procedure: pong, payload: Buffer.alloc(0) }).catch(() => undefined);
      return;
    }
    if (packet.type === packetTypes.message) {
      for (const heard of this.listeners.get(packet.procedure) ?? []) heard(packet.payload);
      return;
    }
    const error = packet.status === packetStatus.error ? refusal(packet.payload) : undefined;
    if (packet.type === packetTypes.stream) {
      const stream = this.streams.get(packet.serial);
      if (error) stream?.failed(error);
      else stream?.received(packet);
      return;
    }
    const waiting = this.waiting.get(packet.serial);
    if (error) waiting?.reject(error);
    else waiting?.resolve(packet.payload);
  }

  /** Waits while the other side does not take more: libvirt's streams have no other brake. */
  private async write(packet: Packet): Promise<void> {
    if (this.end) throw this.end;
    this.socket.cork();
    this.socket.write(encodeHeader(packet));
    const isRoomLeft = this.socket.write(packet.payload);
    this.socket.uncork();
    if (isRoomLeft || this.socket.writableLength < mostWaitingBytes) return;
    // All who wait share one wait.
    this.room ??= new Promise<void>((resolve) => {
      const go = (): void => {
        this.socket.off("drain", go).off("close", go);
        this.room = undefined;
        resolve();
      };
      this.socket.on("drain", go).on("close", go);
    });
    await this.room;
    if (this.end) throw this.end;
  }

  private fail(error: Error): void {
    if (this.end) return;
    this.end = error;
    for (const waiting of this.waiting.values()) waiting.reject(error);
    for (const stream of this.streams.values()) stream.failed(error);
  }

  private explain(thrown: unknown, doing: string): unknown {
    if (thrown instanceof Refused) return callFailed({ doing, ...thrown.body });
    if (this.end && thrown === this.end) return connectionLost({ doing, reason: this.end.message });
    return thrown;
  }
}

/** Pieces of a stream that came and were not read yet; undefined stands for an end. */
class Inbox {
  private readonly pieces: (Buffer | undefined)[] = [];
  private failure: Error | undefined;
  private wake: (() => void) | undefined;
  bytes = 0;

  get isEmpty(): boolean {
    return this.pieces.length === 0;
  }

  put(piece: Buffer | undefined): void {
    this.pieces.push(piece);
    this.bytes += piece?.length ?? 0;
    this.wake?.();
  }

  fail(error: Error): void {
    this.failure ??= error;
    this.wake?.();
  }

  async take(): Promise<Buffer | undefined> {
    while (this.isEmpty && !this.failure) await new Promise<void>((resolve) => (this.wake = resolve));
    if (this.failure) throw this.failure;
    const piece = this.pieces.shift();
    this.bytes -= piece?.length ?? 0;
    return piece;
  }
}

/** The daemon said no. */
class Refused extends Error {
  readonly body: { code: number; domain: number; message: string };

  constructor(body: Refused["body"]) {
    super(body.message);
    this.body = body;
  }
}

function refusal(payload: Buffer): Refused {
  const { code, domain, message = "" } = decode(errorBody, payload);
  return new Refused({ code, domain, message });
}

export type Call = LibvirtConnection["call"];
/** Waits for an answer, but not for ever. */
export type Limited = <T>(doing: string, wait: () => Promise<T>) => Promise<T>;
/** Runs work on a connection of its own. */
export type Transfer = <T>(
  work: (connection: LibvirtConnection, limited: Limited) => Promise<T>,
) => Promise<T>;
