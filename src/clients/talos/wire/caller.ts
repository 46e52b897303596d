import {
  Code,
  ConnectError,
  createClient,
  type CallOptions,
  type Client,
  type Transport,
} from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { SlipwayError } from "../../../errors/index.ts";
import { limitTime, TimeLimitError, type CallTrace, type Clock } from "../../../lib/index.ts";
import { noAnswerOnTime, talosError } from "./call-error.ts";

export interface TalosCallOptions {
  signal?: AbortSignal | undefined;
  /** Instead of the connection's own limit. */
  timeoutMs?: number | undefined;
}

/** The same options, with this limit where they name none. */
export const within = <T extends TalosCallOptions>(options: T, timeoutMs: number): T => ({
  ...options,
  timeoutMs: options.timeoutMs ?? timeoutMs,
});

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

export function createCaller(
  transport: Transport,
  address: string,
  clock: Clock,
  calls: CallTrace,
  limits: TalosLimits,
): Caller {
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
      const trace = { protocol: "talos", to: address, call: `${service.name}/${method}` } as const;
      const startedAt = clock.now();
      try {
        return await calls.run(trace, () =>
          limitTime(clock, timeoutMs, `no answer within ${timeoutMs} ms`, signal, (limit) =>
            work(createClient(service, transport), { signal: limit, headers: deadlineHeader(timeoutMs) }),
          ),
        );
      } catch (thrown) {
        const isLate = thrown instanceof TimeLimitError || isOver(clock.now() - startedAt, timeoutMs);
        const told = thrown instanceof TimeLimitError ? deadlineExceeded(thrown) : thrown;
        const failure = failed(service, method, signal, told);
        throw isLate && !signal?.aborted ? noAnswerOnTime({ call: trace.call, address }, failure) : failure;
      }
    },
    async *stream(service, method, { signal, timeoutMs, mayBeQuiet = false }, open) {
      const left = new AbortController();
      const late = new TimeLimitError(`not over within ${timeoutMs} ms`);
      const cancel = timeoutMs === undefined ? undefined : clock.after(timeoutMs, () => left.abort(late));
      const parts = open(createClient(service, transport), {
        ...(timeoutMs === undefined ? {} : { headers: deadlineHeader(timeoutMs) }),
        signal: signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]),
      });
      try {
        yield* mayBeQuiet ? parts : withoutStalls(clock, parts, limits.stallTimeoutMs);
      } catch (thrown) {
        const told = left.signal.aborted ? deadlineExceeded(late) : thrown;
        throw failed(service, method, signal, told);
      } finally {
        cancel?.();
        // A reader that leaves early does not end the call by itself; the node would go on sending.
        left.abort();
      }
    },
  };
}

/** The node counts the same limit by a clock of its own, and may cancel the call a moment before we do. */
const isOver = (tookMs: number, timeoutMs: number): boolean =>
  tookMs >= timeoutMs - Math.min(100, timeoutMs / 10);

/** As gRPC itself says it. */
const deadlineExceeded = (late: TimeLimitError): ConnectError =>
  new ConnectError(late.message, Code.DeadlineExceeded, undefined, undefined, late);

/** As gRPC tells the other side how long somebody will wait: eight digits and a unit. */
const deadlineHeader = (timeoutMs: number): Record<string, string> => ({
  "grpc-timeout": timeoutMs < 1e8 ? `${Math.ceil(timeoutMs)}m` : `${Math.ceil(timeoutMs / 1000)}S`,
});

async function* withoutStalls<T>(
  clock: Clock,
  parts: AsyncIterable<T>,
  stallTimeoutMs: number,
): AsyncGenerator<T> {
  const reader = parts[Symbol.asyncIterator]();
  const message = `nothing came for ${stallTimeoutMs} ms`;
  for (;;) {
    const next = await limitTime(clock, stallTimeoutMs, message, undefined, () => reader.next());
    if (next.done) return;
    yield next.value;
  }
}
