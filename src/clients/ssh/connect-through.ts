import type { Dial } from "../../lib/index.ts";
import { connectSsh, type SshOptions } from "./connect.ts";
import type { SshConnection } from "./connection.ts";
import { sshDial } from "./channel/ssh-dial.ts";

export type JumpHost = Omit<SshOptions, "dial">;

/**
 * Logs in on one host after the other, each reached from the one before; the last one is what is wanted. Each proves
 * with its own key who it is. When the last connection ends, the ones below it end with it.
 */
export async function connectThrough(
  [first, ...further]: readonly [JumpHost, ...JumpHost[]],
  dial: Dial,
): Promise<SshConnection> {
  const connection = await connectSsh({ ...first, dial });
  const [next, ...rest] = further;
  if (!next) return connection;
  try {
    const last = await connectThrough([next, ...rest], sshDial(connection));
    last.whenOver(() => connection.close());
    return last;
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}
