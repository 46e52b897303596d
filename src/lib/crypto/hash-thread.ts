import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { whileTimeStands } from "../time/standing-time.ts";

const slotBytes = 1024 * 1024;
const slots = 4;

/** A text, because the program is one file in some of the ways it is installed. */
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const hash = require("node:crypto").createHash("sha256");
parentPort.on("message", ({ slot, length, tail }) => {
  if (tail === undefined) {
    hash.update(new Uint8Array(workerData, slot * ${slotBytes}, length));
    parentPort.postMessage(slot);
  } else {
    const whole = hash.copy().update(tail).digest();
    parentPort.postMessage({ body: hash.digest(), whole });
  }
});`;

/** SHA-256 of all that came, without and with the last bytes. */
export interface Digests {
  body: Buffer;
  whole: Buffer;
}

/** SHA-256 of what is large, on a thread of its own: it takes as long as encrypting, and both go on side by side. */
export class HashThread {
  readonly #ring = new SharedArrayBuffer(slots * slotBytes);
  readonly #bytes = new Uint8Array(this.#ring);
  readonly #thread = new Worker(program, { eval: true, execArgv: [], workerData: this.#ring });
  readonly #free = Array.from({ length: slots }, (_, slot) => slot);
  #slot = 0;
  #filled = slotBytes;
  #digests: Digests | undefined;
  #trouble: Error | undefined;

  constructor() {
    this.#thread.on("message", (answer: number | Digests) => {
      if (typeof answer === "number") this.#free.push(answer);
      else this.#digests = answer;
    });
    this.#thread.on("error", (thrown) => (this.#trouble = thrown));
  }

  /** Copies it, and waits only while the thread is far behind. */
  async update(part: Uint8Array): Promise<void> {
    for (let at = 0; at < part.length;) {
      if (this.#filled === slotBytes) await this.#takeSlot();
      const piece = part.subarray(at, at + slotBytes - this.#filled);
      this.#bytes.set(piece, this.#slot * slotBytes + this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled === slotBytes) this.#send();
    }
  }

  /** Once, at the end; `tail` was not among what came. */
  async digests(tail: Uint8Array): Promise<Digests> {
    if (this.#filled < slotBytes) this.#send();
    this.#post({ tail });
    for (;;) {
      if (this.#digests) {
        const { body, whole } = this.#digests;
        return { body: Buffer.from(body), whole: Buffer.from(whole) };
      }
      await this.#answer();
    }
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  async #takeSlot(): Promise<void> {
    while (this.#free.length === 0) await this.#answer();
    this.#slot = this.#free.pop() ?? 0;
    this.#filled = 0;
  }

  #send(): void {
    this.#post({ slot: this.#slot, length: this.#filled });
    this.#filled = slotBytes;
  }

  #post(message: { tail: Uint8Array } | { slot: number; length: number }): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin, a window has
    this.#thread.postMessage(message);
  }

  async #answer(): Promise<void> {
    if (this.#trouble) throw this.#trouble;
    await whileTimeStands(() => once(this.#thread, "message"));
  }
}
