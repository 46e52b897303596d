import { inNextTurn } from "../time/standing-time.ts";

/**
 * Ends a connection in a turn of its own. Node reads HTTP/2 inside its parser and runs our callbacks and promises
 * there; a session, or the socket below it, that is destroyed at that moment corrupts the heap of the whole process
 * (Node 20, nodejs/node#38964).
 */
export function destroyLater(connection: { destroy(error?: Error): unknown }, error?: Error): void {
  inNextTurn(() => connection.destroy(error));
}
