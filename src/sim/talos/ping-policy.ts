import http2 from "node:http2";
import { destroyLater, type Clock } from "../../lib/index.ts";

const minTimeMs = 5 * 60_000;
/** Between pings of a client that has nothing open. */
const idleTimeMs = 2 * 60 * 60_000;
const mostStrikes = 2;

/**
 * What a Go gRPC server does with pings unless told otherwise: too early ones are strikes, anything it sends itself
 * forgives them, the third strike ends the connection. Returns what is to be called whenever it sends something.
 */
export function policePings(session: http2.ServerHttp2Session, clock: Clock): () => void {
  let strikes = 0;
  let lastPingAt = Number.NEGATIVE_INFINITY;
  let isForgiven = false;
  let open = 0;
  session.on("stream", (stream) => {
    open += 1;
    stream.once("close", () => (open -= 1));
  });
  session.on("ping", () => {
    const now = clock.now();
    const sinceMs = now - lastPingAt;
    lastPingAt = now;
    if (isForgiven) strikes = 0;
    else if (sinceMs < (open > 0 ? minTimeMs : idleTimeMs)) strikes += 1;
    isForgiven = false;
    if (strikes <= mostStrikes) return;
    setImmediate(() => {
      if (session.destroyed) return;
      session.goaway(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from("too_many_pings"));
      destroyLater(session);
    });
  });
  return () => {
    isForgiven = true;
  };
}
