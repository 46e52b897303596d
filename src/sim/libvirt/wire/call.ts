import type { Procedure } from "../../../clients/libvirt/wire/index.ts";
import type { SimHost } from "../host.ts";
import type { Refusal } from "../refusal.ts";

/** What a call is answered with, beside its arguments. */
export interface CallContext {
  host: SimHost;
  /** The connection that the call came on. */
  caller: Caller;
  /** Opens a stream of bytes behind the answer. */
  openStream(handler: StreamHandler): void;
}

export interface Caller {
  /** What it asks to be told of; the answer is the number of the wish. */
  watch(event: number): number;
  unwatch(wish: number): void;
  /** It says goodbye. */
  leave(): void;
}

/** One end of a stream. */
export interface StreamHandler {
  /** The answer is on its way: now bytes may follow. */
  begin?(out: StreamOut): void;
  received?(bytes: Buffer): void;
  /** The other side has sent everything; what this returns has to be done before it is told so. */
  finished?(): Promise<void>;
  /** It ends without that. */
  aborted?(): void;
}

export interface StreamOut {
  send(bytes: Buffer): void;
  /** Nothing more comes. */
  end(): void;
  fail(refusal: Refusal): void;
}

/** A call of the protocol and how it is answered. */
export interface ServedCall {
  /** As libvirt's protocol names it: `DOMAIN_CREATE_WITH_FLAGS`. */
  name: string;
  procedure: Procedure<never, never>;
  answer(context: CallContext, args: never): unknown;
}

export const served = <Args, Result>(
  name: string,
  procedure: Procedure<Args, Result>,
  answer: (context: CallContext, args: Args) => Result | Promise<Result>,
): ServedCall => ({ name, procedure, answer }) as unknown as ServedCall;
