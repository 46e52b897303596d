import type Ssh2 from "ssh2";
import { whileTimeStands } from "../time/standing-time.ts";

/**
 * SSH, which most commands never need and which takes a while to load. Its ciphers are compiled on another thread: the
 * first connection would wait for them, and virtual time would not know.
 */
export const loadSsh2 = (): Promise<typeof Ssh2> =>
  whileTimeStands(async () => {
    const [{ default: ssh2 }, { default: ciphers }] = await Promise.all([
      import("ssh2"),
      import("ssh2/lib/protocol/crypto.js"),
    ]);
    await ciphers.init;
    return ssh2;
  });
