import type { ReadContext, StepContext } from "../resource.ts";

/** A machine as a plan knows it before it is made. */
export interface MachinePlace {
  cluster: string;
  node: string;
  /** Name of the host in the file. */
  host: string;
  /** The number its hypervisor knows it by, where machines have numbers. */
  id?: number | undefined;
}

export interface ConsoleListener {
  heard(bytes: Buffer): void;
  /** Once: nothing more will be heard. */
  ended(error?: Error): void;
}

/**
 * The serial consoles of machines, through their hypervisor: a way to hear a node that nobody else in its network can
 * take. One listener at a time; what is printed while nobody listens is lost.
 */
export interface Consoles {
  /** From now on; returns how to stop. */
  listen(ctx: ReadContext, machine: MachinePlace, listener: ConsoleListener): Promise<() => void>;
  /** As the button on a computer: the guest is not asked, and who listens goes on listening. */
  reset(ctx: StepContext, machine: MachinePlace): Promise<void>;
  /**
   * Resets it as another instance: cloud-init sets it up as at its first start, and it makes and prints new host keys.
   * What else is on its disk stays. Absent where machines are given their keys.
   */
  startAsNew?(ctx: StepContext, machine: MachinePlace): Promise<void>;
  /** For a person who also types; `isForced` takes it away from whoever has it. Absent where it opens in a browser only. */
  open?(machine: MachinePlace, listener: ConsoleListener, isForced: boolean): Promise<OpenConsole>;
  /** Where a browser finds it; `on` is where the machine is. */
  pageOf?(machine: MachinePlace & { on: string }): string;
}

export interface OpenConsole {
  write(bytes: Buffer): Promise<void>;
  close(): Promise<void>;
}

/** The longest line a kernel prints, and then some. */
const mostLine = 8192;

/** What is wanted of a console. */
interface ConsoleReading<T> {
  /** Reads one line, without its colours; undefined when it says nothing that is wanted. */
  read(line: string): T | undefined;
  /** What is thrown when the connection to the console breaks off. */
  lost(cause: Error): Error;
}

/** Listens to the console of a machine for something that it prints about itself. */
export class ConsoleWatch<T> {
  readonly #opened: Promise<() => void>;
  readonly #ctx: StepContext;
  readonly #reading: ConsoleReading<T>;
  readonly #lines = new Lines();
  #found: T | undefined;
  #heardAt: number | undefined;
  #lost: Error | undefined;

  constructor(ctx: StepContext, consoles: Consoles, machine: MachinePlace, reading: ConsoleReading<T>) {
    this.#ctx = ctx;
    this.#reading = reading;
    this.#opened = consoles
      .listen(ctx, machine, {
        heard: (bytes) => this.#take(bytes),
        ended: (error) => (this.#lost = error ?? new Error("the host closed it")),
      })
      .then((close) => {
        this.#heardAt ??= ctx.clock.now();
        return close;
      });
    // The step that needs the console is told; a node that needs none is not held up by it.
    this.#opened.catch(() => undefined);
  }

  /** Until it is known to be read; fails when the console cannot be opened. */
  async ready(): Promise<void> {
    await this.#opened;
    if (this.#lost) throw this.#reading.lost(this.#lost);
  }

  /** The last that was read since `forget`: machines make new keys, and print them again. */
  get found(): T | undefined {
    return this.#found;
  }

  /** Nothing at all was heard on it yet. */
  get isSilent(): boolean {
    return this.#lines.isEmpty;
  }

  /** How long nothing has been heard; 0 while it is not read. */
  quietMs(): number {
    return this.#heardAt === undefined ? 0 : this.#ctx.clock.now() - this.#heardAt;
  }

  /** What was printed before a restart says nothing about the node after it. */
  forget(): void {
    this.#found = undefined;
    this.#heardAt = this.#ctx.clock.now();
  }

  close(): void {
    this.#opened.then(
      (close) => close(),
      () => undefined,
    );
  }

  #take(bytes: Buffer): void {
    this.#heardAt = this.#ctx.clock.now();
    for (const line of this.#lines.push(bytes)) this.#found = this.#reading.read(line) ?? this.#found;
  }
}

/** Bytes come cut anywhere; a line is whole when the next begins. */
class Lines {
  #rest = "";
  isEmpty = true;

  push(bytes: Buffer): string[] {
    this.isEmpty &&= bytes.length === 0;
    const lines = (this.#rest + bytes.toString("latin1")).split(/[\r\n]+/);
    this.#rest = (lines.pop() ?? "").slice(-mostLine);
    return lines.map(withoutColours);
  }
}

// oxlint-disable-next-line no-control-regex -- colours
const withoutColours = (line: string): string => line.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "");
