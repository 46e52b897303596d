import { Duplex } from "node:stream";
import type { Channel } from "ssh2";

/**
 * A channel as any other stream of Node: destroyed at once, with an error where there is one. The library's own streams
 * close only when the other side agrees and end silently when the connection is lost.
 */
export class ChannelStream extends Duplex {
  private readonly channel: Channel;

  /** A program's output ends before it is known how the program did: `verdict` holds the end back until then. */
  constructor(channel: Channel, verdict?: () => Error | undefined) {
    super();
    this.channel = channel;
    channel.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) channel.pause();
    });
    channel.on("end", () => (verdict ? undefined : this.push(null)));
    channel.on("error", (error: Error) => this.destroy(error));
    channel.on("close", () => {
      const error = verdict?.();
      if (error) {
        this.destroy(error);
        return;
      }
      if (verdict) this.push(null);
      // Whoever still reads gets the rest first; writing is over.
      if (this.readableEnded) this.destroy();
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
