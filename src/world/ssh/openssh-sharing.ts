import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** How long a connection that nobody uses any more stays: the next command may want it. */
const idleSeconds = 15;

/**
 * Lets the ssh program open one connection for all that go the same way, unless the user's own settings share one
 * already. Otherwise everybody logs in for himself, and a security key wants to be touched for each.
 */
export async function sharingOptions(login: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const folder = sharedFolder(env["XDG_RUNTIME_DIR"] ?? os.tmpdir());
  if (folder === undefined || (await isSharedAlready(login, env))) return [];
  const options = [
    "ControlMaster=auto",
    `ControlPath=${folder}/${nameOf(login, env)}`,
    `ControlPersist=${idleSeconds}`,
  ];
  return options.flatMap((option) => ["-o", option]);
}

/** Who logs in with another key, or trusts other hosts, has to do so himself. */
const nameOf = (login: readonly string[], env: NodeJS.ProcessEnv): string =>
  createHash("sha256")
    .update(JSON.stringify([login, env["HOME"], env["SSH_AUTH_SOCK"]]))
    .digest("hex")
    .slice(0, 24);

/** Whoever could write there could take our connections. Windows knows no such sharing. */
function sharedFolder(within: string): string | undefined {
  if (os.platform() === "win32") return undefined;
  const { uid } = os.userInfo();
  const folder = path.join(within, `slipway-ssh-${uid}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const isOurs = found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;
    // A socket's path has room for some hundred letters, and ssh itself adds a few while it makes one.
    return isOurs && folder.length < 60 ? folder : undefined;
  } catch {
    return undefined;
  }
}

const isSharedAlready = (login: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> =>
  new Promise((resolve) => {
    execFile("ssh", ["-G", ...login], { env }, (_error, said) => {
      const [, where = "none"] = /^controlpath (.*)$/m.exec(said) ?? [];
      resolve(where !== "none");
    });
  });
