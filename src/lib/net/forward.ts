import net from "node:net";
import type { Dial, Target } from "./dial.ts";
import { joinSockets } from "./join-sockets.ts";
import { loopbackServer, type LocalPort } from "./loopback-server.ts";

/** A port of this machine that leads to another place, for programs that can only connect by themselves. */
export function forwardLocally(to: Target, dial: Dial, port?: number): Promise<LocalPort> {
  const { ended, keep, listen } = loopbackServer();
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    keep(near);
    near.on("error", () => undefined);
    dial(to, ended).then(
      (far) => {
        keep(far);
        joinSockets(near, far);
      },
      () => near.resetAndDestroy(),
    );
  });
  return listen(server, port);
}
