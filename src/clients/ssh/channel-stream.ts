import { Duplex } from "node:stream";
import type { Channel } from "ssh2";

/**
 * A channel as any other stream of Node: destroyed at once, with an error where there is one. The library's own streams
 * close only when the other side agrees and end in silence when the connection is lost.
 */
export class ChannelStream extends Duplex {
  private readonly channel: Channel;
  /** What to say when the channel closes; nothing when that is no fault. */
  private readonly fault: () => Error | undefined;

  constructor(channel: Channel, fault: () => Error | undefined = () => undefined) {
    super();
    this.channel = channel;
    this.fault = fault;
    channel.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) channel.pause();
    });
    channel.on("end", () => (this.fault() === undefined ? this.push(null) : undefined));
    channel.on("error", (error: Error) => this.destroy(error));
    channel.on("close", () => {
      const error = this.fault();
      if (error) this.destroy(error);
      // Whoever still reads gets the rest first; writing is over.
      else if (this.readableEnded) this.destroy();
      else this.once("end", () => this.destroy());
    });
  }

  override _read(): void {
    this.channel.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.channel.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.channel.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.channel.destroy();
    done(error);
  }
}
