import { stat } from "node:fs/promises";
import path from "node:path";
import { firstAt, readXml } from "../../../lib/index.ts";
import { failed, type Check } from "../../../plan/index.ts";
import { hostnameOf } from "../../../spec/index.ts";
import { findPool } from "../pool/pool.ts";
import { folderClosed } from "./errors.ts";
import { hostCheck, type HostView } from "./host-view.ts";

/**
 * Every folder above a disk must let QEMU's user through, whose name is `libvirt-qemu` or `qemu`. On this machine they
 * are looked at; of another, libvirt tells only the pool's own, and homes are known to be closed.
 */
export const folderCheck = (view: HostView): Check =>
  hostCheck(
    view,
    "libvirt-pool-folder",
    ["QEMU reaches the storage pool", "QEMU does not reach the storage pool"],
    async (ctx) => {
      const { host } = view;
      const client = await view.client();
      const seen = await findPool(ctx, client, host.libvirt.pool.name);
      const folder = seen?.found.path ?? host.libvirt.pool.path;
      if (folder === undefined) return { status: "skipped", because: "libvirt-pool" };
      const shown = { needed: folder };
      const isOfUser = /\/session(?:\?|$)/.test(host.libvirt.uri);
      const isBlock = folder.startsWith("/dev");
      const user = qemuUser(await client.capabilities(ctx.signal));
      if (isOfUser || isBlock || user?.uid === 0) return { status: "ok", ...shown, found: "open to it" };
      const isHere = hostnameOf(host) === undefined;
      const closed = isHere ? await closedFolder(folder, user) : closedByName(folder);
      if (closed === undefined) return { status: "ok", ...shown, found: isHere ? "open to it" : "no home" };
      return failed(folderClosed({ host, folder, ...closed }), { ...shown, found: `${closed.at} is closed` });
    },
  );

interface User {
  uid: number;
  gid: number;
}

/** As whom libvirt starts QEMU. */
export function qemuUser(capabilities: string): User | undefined {
  const host = firstAt(readXml(capabilities), "host");
  const models = host?.children.filter(({ name }) => name === "secmodel") ?? [];
  const dac = models.find((each) => firstAt(each, "model")?.text.trim() === "dac");
  const [, uid, gid] = /^\+(\d+):\+(\d+)$/.exec(firstAt(dac, "baselabel")?.text.trim() ?? "") ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

interface Closed {
  at: string;
  mode?: string;
}

/** The topmost folder on the way that does not let the user through. What is missing is made, open. */
async function closedFolder(folder: string, user: User | undefined): Promise<Closed | undefined> {
  for (const at of wayTo(folder)) {
    const found = await stat(at).catch(() => undefined);
    if (!found) return undefined;
    const bit = found.uid === user?.uid ? 0o100 : found.gid === user?.gid ? 0o010 : 0o001;
    if ((found.mode & bit) === 0) return { at, mode: (found.mode & 0o7777).toString(8).padStart(4, "0") };
  }
  return undefined;
}

/** `/`, `/var`, `/var/lib` and so on, the folder itself last. */
function wayTo(folder: string): string[] {
  const above = path.posix.dirname(folder);
  return above === folder ? [folder] : [...wayTo(above), folder];
}

function closedByName(folder: string): Closed | undefined {
  const home = /^(?:\/root|\/home\/[^/]+)(?=\/|$)/.exec(path.posix.normalize(folder))?.[0];
  return home === undefined ? undefined : { at: home };
}
