import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { dialDirect, type Dial } from "../../../src/lib/index.ts";

/** A network on which every answer takes `roundTripMs` longer. For kernels that have no netem. */
export const slowDial =
  (roundTripMs: number): Dial =>
  async (to, signal) => {
    const far = await dialDirect(to, signal);
    const server = net.createServer({ allowHalfOpen: true, noDelay: true });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as net.AddressInfo;
    const accepted = once(server, "connection") as Promise<[net.Socket]>;
    const [near, [middle]] = await Promise.all([dialDirect({ host: "127.0.0.1", port }), accepted]);
    server.close();
    carry(middle, far, roundTripMs / 2);
    carry(far, middle, roundTripMs / 2);
    await sleep(roundTripMs);
    return near;
  };

/** Timers of one length fire in the order they were set, so nothing overtakes. */
function carry(from: net.Socket, to: net.Socket, ms: number): void {
  from.on("data", (chunk) => void setTimeout(() => to.writable && to.write(chunk), ms));
  from.on("end", () => void setTimeout(() => to.end(), ms));
  from.on("error", () => undefined);
  from.on("close", () => void setTimeout(() => to.destroySoon(), ms));
}
