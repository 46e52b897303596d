import type { Dial } from "../../../lib/index.ts";
import { asSocket } from "./as-socket.ts";
import { asNetworkError } from "./refusal.ts";
import type { SshConnection } from "../connection.ts";
import { untilAborted } from "./until-aborted.ts";

/** Reaches addresses from where the host at the other end of `connection` stands. */
export const sshDial =
  (connection: Pick<SshConnection, "openTcp" | "name">): Dial =>
  async ({ host, port }, signal) => {
    const { name } = connection;
    const opening = connection.openTcp(host, port);
    try {
      return await asSocket(await untilAborted(opening, signal), name);
    } catch (thrown) {
      // The host may take minutes to find out that nobody is there; what it opens then is not wanted any more.
      void opening.then((late) => late.destroy()).catch(() => undefined);
      throw asNetworkError(thrown, name);
    }
  };
