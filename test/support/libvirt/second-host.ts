import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openLibvirt, type LibvirtClient } from "../../../src/clients/libvirt/index.ts";
import { canHaveNamespaces, withoutNamespaces } from "../ssh/network-namespaces.ts";
import { withoutLibvirt } from "./libvirtd.ts";
import { peerFile } from "../peers.ts";

const programs = ["/usr/sbin/libvirtd", "/usr/sbin/virtlogd"];

/** Why there is no second libvirt host here; empty: there can be. */
export const withoutElsewhere = [
  ...(canHaveNamespaces ? [] : [withoutNamespaces]),
  ...(programs.every((each) => peerFile(each)) ? [] : [withoutLibvirt]),
].join("; ");

/** A libvirt host of its own: its own daemon, machines, pools and networks, which nobody else sees. */
export interface LibvirtElsewhere {
  /** Where its daemon listens, for whoever is logged in there. */
  socket: string;
  client: LibvirtClient;
  stop(): Promise<void>;
}

/**
 * Its folders are its own, its networks lie in `netns`, and its processes end with it. Machines are emulated, as in
 * lab/start-libvirt.sh, which also says why.
 */
export async function startLibvirtElsewhere(netns: string): Promise<LibvirtElsewhere> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-elsewhere-"));
  const socket = join(folder, "socket/libvirt-sock");
  mkdirSync(join(folder, "socket"));
  const files = {
    "no-kvm": "",
    "qemu.conf": 'namespaces = []\nsecurity_driver = "none"\n',
    "libvirtd.conf": `unix_sock_dir = "${join(folder, "socket")}"\nauth_unix_rw = "none"\n`,
    "start.sh": `set -e
for own in /run/libvirt /var/lib/libvirt /var/log/libvirt /etc/libvirt; do mkdir -p $own; mount -t tmpfs tmpfs $own; done
# What QEMU can do is found out by starting it often; it is the same QEMU.
cp -a /var/cache/libvirt cache
mount --bind cache /var/cache/libvirt
cp qemu.conf /etc/libvirt/
[ ! -e /dev/kvm ] || mount --bind no-kvm /dev/kvm
virtlogd -d -p $PWD/virtlogd.pid
# The shell stays, as the first process: a machine that ended is waited for by nobody else, and its daemon by that.
libvirtd -f $PWD/libvirtd.conf -p $PWD/libvirtd.pid &
wait $!
`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const ownProcesses = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const daemon = spawn("ip", ["netns", "exec", netns, ...ownProcesses, "sh", "start.sh"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  daemon.stderr.on("data", (text) => (said += String(text)));
  const stop = async (): Promise<void> => {
    if (daemon.exitCode === null && daemon.signalCode === null) {
      const gone = once(daemon, "exit");
      // A polite word is not passed on, and what it started ends with it either way.
      daemon.kill("SIGKILL");
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const client = await openWhenUp(socket, () => daemon.exitCode !== null);
    return {
      socket,
      client,
      async stop() {
        client.close();
        await stop();
      },
    };
  } catch (cause) {
    await stop();
    throw new Error(`no libvirt elsewhere: ${said}`, { cause });
  }
}

async function openWhenUp(path: string, isLost: () => boolean): Promise<LibvirtClient> {
  const connect = (): Promise<net.Socket> =>
    new Promise((resolve, reject) => {
      const socket = net.connect(path, () => resolve(socket));
      socket.once("error", reject);
    });
  for (let left = 150; ; left -= 1) {
    try {
      return await openLibvirt({ connect, driver: "qemu:///system" });
    } catch (thrown) {
      if (left === 0 || isLost()) throw thrown;
      await sleep(200);
    }
  }
}
