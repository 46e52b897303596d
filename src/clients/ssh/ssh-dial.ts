import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import { platform, tmpdir } from "node:os";
import path from "node:path";
import { pipeline, type Duplex } from "node:stream";
import type { Dial } from "../../lib/index.ts";
import type { SshConnection } from "./connection.ts";

/** Reaches addresses from where the host at the other end of `connection` stands. */
export const sshDial =
  (connection: Pick<SshConnection, "openTcp">): Dial =>
  async ({ host, port }, signal) => {
    signal?.throwIfAborted();
    const stream = await connection.openTcp(host, port);
    if (signal?.aborted) {
      stream.destroy();
      throw signal.reason as Error;
    }
    return asSocket(stream);
  };

/**
 * HTTP/2 and TLS want a real socket; over other streams they fail on newer versions of Node. So the stream is led through
 * a unix socket in a folder that only we may enter, which is gone as soon as both ends are connected.
 */
async function asSocket(stream: Duplex): Promise<net.Socket> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-"));
  const address = platform() === "win32" ? `\\\\.\\pipe\\slipway-${randomUUID()}` : path.join(folder, "way");
  const server = net.createServer({ allowHalfOpen: true });
  try {
    await once(server.listen(address), "listening");
    const outer = net.connect({ path: address });
    const [[inner]] = (await Promise.all([once(server, "connection"), once(outer, "connect")])) as [
      [net.Socket],
      unknown,
    ];
    // The reason, where there is one, reaches whoever uses the socket.
    pipeline(inner, stream, inner, (error) =>
      outer.destroy(isPlainEnd(error) ? undefined : (error ?? undefined)),
    );
    return outer;
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The user of the socket has gone away; that is no fault of the connection. */
const isPlainEnd = (error: NodeJS.ErrnoException | null | undefined): boolean =>
  error === null || error === undefined || error.code === "ERR_STREAM_PREMATURE_CLOSE";
