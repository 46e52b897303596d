import { createClient, type CallOptions, type Client, type Transport } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { SlipwayError } from "../../errors/index.ts";
import { traced } from "../../lib/index.ts";
import { talosError } from "./errors.ts";

export interface TalosCallOptions {
  signal?: AbortSignal;
  /** Instead of the connection's own limit. */
  timeoutMs?: number;
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
  /** Without a time limit: a stream ends when the node, the caller's signal, or a lost connection ends it. */
  stream<S extends DescService, T>(
    service: S,
    method: string,
    options: TalosCallOptions,
    open: (client: Client<S>, options: CallOptions) => AsyncIterable<T>,
  ): AsyncGenerator<T>;
}

export function createCaller(transport: Transport, address: string, callTimeoutMs: number): Caller {
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
    async call(service, method, { signal, timeoutMs = callTimeoutMs }, work) {
      try {
        return await traced({ protocol: "talos", to: address, call: `${service.name}/${method}` }, () =>
          work(createClient(service, transport), { timeoutMs, ...(signal && { signal }) }),
        );
      } catch (thrown) {
        throw failed(service, method, signal, thrown);
      }
    },
    async *stream(service, method, { signal, timeoutMs }, open) {
      const left = new AbortController();
      try {
        yield* open(createClient(service, transport), {
          ...(timeoutMs !== undefined && { timeoutMs }),
          signal: signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]),
        });
      } catch (thrown) {
        throw failed(service, method, signal, thrown);
      } finally {
        // A reader that leaves early does not end the call by itself; the node would go on sending.
        left.abort();
      }
    },
  };
}
