import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import { platform, tmpdir } from "node:os";
import path from "node:path";
import { pipeline, type Duplex } from "node:stream";
import { RouteError } from "../../../lib/index.ts";

/**
 * HTTP/2 and TLS want a real socket; over other streams they fail on newer versions of Node. So the stream is led through
 * a unix socket in a folder that only we may enter, which is gone as soon as both ends are connected.
 */
export async function asSocket(stream: Duplex, through: string): Promise<net.Socket> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-"));
  const address = platform() === "win32" ? `\\\\.\\pipe\\slipway-${randomUUID()}` : path.join(folder, "way");
  const server = net.createServer({ allowHalfOpen: true });
  let loss: RouteError | undefined;
  let socket: net.Socket;
  try {
    await once(server.listen(address), "listening");
    const outer = net.connect({ path: address });
    const [[inner]] = (await Promise.all([once(server, "connection"), once(outer, "connect")])) as [
      [net.Socket],
      unknown,
    ];
    pipeline(inner, stream, inner, (error) => {
      loss = lossOf(error, through);
      // Without a loss the last bytes may still be on their way to whoever reads.
      if (loss) outer.destroy(loss);
    });
    // It may be lost before anybody else listens.
    outer.on("error", () => undefined);
    socket = outer;
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
  if (loss) throw loss;
  return socket;
}

/** Whoever uses the socket sees a connection that was cut, as without a hop; that he went away himself is no fault. */
const lossOf = (error: NodeJS.ErrnoException | null | undefined, through: string): RouteError | undefined =>
  error === null || error === undefined || error.code === "ERR_STREAM_PREMATURE_CLOSE"
    ? undefined
    : new RouteError("ECONNRESET", through, `connection cut (through ${through}): ${error.message}`);
