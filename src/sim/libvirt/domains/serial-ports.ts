import { operationFailed } from "../refusal.ts";

/** Whoever reads the serial port of a machine. */
interface PortReader {
  heard(text: string): void;
  /** The machine is off, or somebody else took the port by force. */
  hungUp(): void;
}

/** The serial ports of a host's machines. One reader has a port; what nobody reads is lost. */
export class SerialPorts {
  readonly #readers = new Map<string, PortReader>();

  print(uuid: string, text: string): void {
    this.#readers.get(uuid)?.heard(text);
  }

  /** Returns how to leave again. */
  open(uuid: string, reader: PortReader, isForced: boolean): () => void {
    const before = this.#readers.get(uuid);
    if (before && !isForced) throw operationFailed("qemu", "Active console session exists for this domain");
    this.#readers.set(uuid, reader);
    before?.hungUp();
    return () => {
      if (this.#readers.get(uuid) === reader) this.#readers.delete(uuid);
    };
  }

  hangUp(uuid: string): void {
    const reader = this.#readers.get(uuid);
    this.#readers.delete(uuid);
    reader?.hungUp();
  }
}
