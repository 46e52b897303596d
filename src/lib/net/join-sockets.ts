import type net from "node:net";

/** What comes in at one end goes out at the other, until either closes. */
export function joinSockets(near: net.Socket, far: net.Socket): void {
  // Whoever connected sees what a network shows: the connection ends.
  far.on("error", () => near.destroy());
  far.once("close", () => near.end());
  near.once("close", () => far.destroy());
  near.pipe(far);
  far.pipe(near);
}
