import type { Consoles, MachinePlace, StepContext } from "../../../plan/index.ts";
import { consoleLost } from "./first-contact-errors.ts";

/** The longest line a kernel prints, and then some. */
const mostLine = 8192;

/** Listens to the console of a node for the fingerprint it prints. */
export class ConsoleWatch {
  readonly #opened: Promise<() => void>;
  readonly #ctx: StepContext;
  readonly #machine: MachinePlace;
  readonly #lines = new Lines();
  #fingerprint: string | undefined;
  #heardAt: number | undefined;
  #lost: Error | undefined;

  constructor(ctx: StepContext, consoles: Consoles, machine: MachinePlace) {
    this.#ctx = ctx;
    this.#machine = machine;
    this.#opened = consoles
      .listen(ctx, machine, {
        heard: (bytes) => this.#take(bytes),
        ended: (error) => (this.#lost = error ?? new Error("the host closed it")),
      })
      .then((close) => {
        this.#heardAt ??= ctx.clock.now();
        return close;
      });
    // Whoever needs the console is told; a node that needs none is not held up by it.
    this.#opened.catch(() => undefined);
  }

  /** Until it is known that somebody listens; fails when the console cannot be had. */
  async ready(): Promise<void> {
    await this.#opened;
    if (this.#lost) throw consoleLost({ node: this.#machine.node, cause: this.#lost });
  }

  /** The last one printed since `forget`: a node makes a new key whenever its name or address changes. */
  get fingerprint(): string | undefined {
    return this.#fingerprint;
  }

  /** Nothing at all was heard on it yet. */
  get isSilent(): boolean {
    return this.#lines.isEmpty;
  }

  /** How long nothing has been heard; 0 while nobody listens. */
  quietMs(): number {
    return this.#heardAt === undefined ? 0 : this.#ctx.clock.now() - this.#heardAt;
  }

  /** What was printed before a restart says nothing about the node after it. */
  forget(): void {
    this.#fingerprint = undefined;
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
    for (const line of this.#lines.push(bytes))
      this.#fingerprint = printedFingerprint(line) ?? this.#fingerprint;
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
    return lines;
  }
}

/**
 * `[    9.215] [talos] server certificate issued {…, "controller": "runtime.MaintenanceService…", "fingerprint": "…"}`.
 * The words must stand outside of the fields: names that others give the node are printed too, inside of them.
 */
export function printedFingerprint(line: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- colours
  const plain = line.replace(/\u001b\[[0-9;]*m/g, "");
  const [, fields] = /^[^{"]*\[talos\][^{"]*server certificate issued (\{.*\})\s*$/.exec(plain) ?? [];
  if (fields === undefined) return undefined;
  try {
    const { controller, fingerprint } = JSON.parse(fields) as Record<string, unknown>;
    const isTheirs = typeof controller === "string" && /^runtime\.MaintenanceService\w*$/.test(controller);
    const isOne = typeof fingerprint === "string" && /^[A-Za-z0-9+/]{43}=$/.test(fingerprint);
    return isTheirs && isOne ? fingerprint : undefined;
  } catch {
    return undefined;
  }
}
