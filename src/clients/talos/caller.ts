import { createClient, type CallOptions, type Client, type Transport } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { SlipwayError } from "../../errors/index.ts";
import { limitTime, traced } from "../../lib/index.ts";
import { noAnswerOnTime, talosError } from "./errors.ts";

export interface TalosCallOptions {
  signal?: AbortSignal;
  /** Instead of the connection's own limit. */
  timeoutMs?: number;
}

export interface TalosStreamOptions extends TalosCallOptions {
  /** The node may have nothing to say for hours: no limit between two parts. */
  mayBeQuiet?: boolean;
}

export interface TalosLimits {
  callTimeoutMs: number;
  /** Between two parts of a stream that is not quiet. */
  stallTimeoutMs: number;
}

/** The one place all calls pass through: time limit, cancellation, and errors in our own words. */
export interface Caller {
  readonly address: string;
  call<S extends DescService, T>(
    service: S,
    method: string,
    options: TalosCallOptions,
    work: (client: Client<S>, options: CallOptions) => Promise<T>,
  ): Promise<T>;
  /** Limited from part to part: a stream ends when the node, the caller's signal, or a lost connection ends it. */
  stream<S extends DescService, T>(
    service: S,
    method: string,
    options: TalosStreamOptions,
    open: (client: Client<S>, options: CallOptions) => AsyncIterable<T>,
  ): AsyncGenerator<T>;
}

/** The node counts the same limit by a clock of its own, and may cancel the call a moment before we do. */
const isOver = (startedAt: number, timeoutMs: number): boolean =>
  performance.now() - startedAt >= timeoutMs - Math.min(100, timeoutMs / 10);

export function createCaller(transport: Transport, address: string, limits: TalosLimits): Caller {
  const failed = (
    service: DescService,
    method: string,
    signal: AbortSignal | undefined,
    thrown: unknown,
  ): Error => {
    if (thrown instanceof SlipwayError) return thrown;
    if (signal?.aborted) return signal.reason as Error;
    return talosError({ call: `${service.name}/${method}`, address }, thrown);
  };
  return {
    address,
    async call(service, method, { signal, timeoutMs = limits.callTimeoutMs }, work) {
      const startedAt = performance.now();
      try {
        return await traced({ protocol: "talos", to: address, call: `${service.name}/${method}` }, () =>
          work(createClient(service, transport), { timeoutMs, ...(signal && { signal }) }),
        );
      } catch (thrown) {
        const failure = failed(service, method, signal, thrown);
        throw isOver(startedAt, timeoutMs) ? noAnswerOnTime(address, failure) : failure;
      }
    },
    async *stream(service, method, { signal, timeoutMs, mayBeQuiet = false }, open) {
      const left = new AbortController();
      const parts = open(createClient(service, transport), {
        ...(timeoutMs !== undefined && { timeoutMs }),
        signal: signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]),
      });
      try {
        yield* mayBeQuiet ? parts : withoutStalls(parts, limits.stallTimeoutMs);
      } catch (thrown) {
        throw failed(service, method, signal, thrown);
      } finally {
        // A reader that leaves early does not end the call by itself; the node would go on sending.
        left.abort();
      }
    },
  };
}

async function* withoutStalls<T>(parts: AsyncIterable<T>, stallTimeoutMs: number): AsyncGenerator<T> {
  const reader = parts[Symbol.asyncIterator]();
  const message = `nothing came for ${stallTimeoutMs} ms`;
  for (;;) {
    const next = await limitTime(stallTimeoutMs, message, undefined, () => reader.next());
    if (next.done) return;
    yield next.value;
  }
}
