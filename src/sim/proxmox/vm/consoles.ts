import { randomBytes } from "node:crypto";
import type { Clock } from "../../../lib/index.ts";
import { refusal } from "../api-error.ts";

/** Whoever reads the serial port of a machine. */
export interface ConsoleReader {
  heard(text: string): void;
  /** The machine is off: its port is gone. */
  hungUp(): void;
}

/** A way to one console, for who asked for it, and for a short while. */
export interface ConsoleTicket {
  ticket: string;
  user: string;
  vmid: number;
  /** The node that was asked for it, and one of its ports. */
  entry: string;
  port: number;
  madeAt: number;
  isCalled?: true;
  /** Ends the worker that waits behind the port. */
  done(): void;
}

const ports = { first: 5900, count: 100 };
/** How long the worker waits to be called, and how long its ticket counts. */
export const callWithinMs = 10_000;
const ticketLifeMs = 40_000;

/** The serial ports of all machines. One reader has a port, the next wait in silence; what nobody reads is lost. */
export class Consoles {
  readonly #readers = new Map<number, ConsoleReader[]>();
  readonly #tickets = new Map<string, ConsoleTicket>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  print(vmid: number, text: string): void {
    this.#readers.get(vmid)?.[0]?.heard(text);
  }

  /** Returns how to leave again; then the next in line is heard. */
  attach(vmid: number, reader: ConsoleReader): () => void {
    const readers = this.#readers.get(vmid) ?? [];
    this.#readers.set(vmid, readers);
    readers.push(reader);
    return () => {
      const at = readers.indexOf(reader);
      if (at >= 0) readers.splice(at, 1);
    };
  }

  hangUp(vmid: number): void {
    const readers = this.#readers.get(vmid) ?? [];
    this.#readers.delete(vmid);
    for (const reader of readers) reader.hungUp();
  }

  admit(user: string, entry: string, vmid: number, done: () => void): ConsoleTicket {
    const others = [...this.#tickets.values()].filter((each) => each.entry === entry);
    const taken = new Set(others.map((each) => each.port));
    const port = Array.from({ length: ports.count }, (_, n) => ports.first + n).find((it) => !taken.has(it));
    if (port === undefined)
      throw refusal(`unable to find free port (${ports.first}-${ports.first + ports.count})`);
    const madeAt = this.#clock.now();
    const stamp = Math.floor(madeAt / 1000)
      .toString(16)
      .toUpperCase();
    const ticket = `PVEVNC:${stamp}::${randomBytes(256).toString("base64")}`;
    const made: ConsoleTicket = { ticket, user, vmid, entry, port, madeAt, done };
    this.#tickets.set(ticket, made);
    return made;
  }

  /** The ticket, if it was made for this machine and is not too old. */
  find(ticket: string, vmid: number): ConsoleTicket | undefined {
    const found = this.#tickets.get(ticket);
    if (found?.vmid !== vmid) return undefined;
    return this.#clock.now() - found.madeAt > ticketLifeMs ? undefined : found;
  }

  forget({ ticket, done }: ConsoleTicket): void {
    this.#tickets.delete(ticket);
    done();
  }
}
