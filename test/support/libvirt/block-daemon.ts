import { execFileSync } from "node:child_process";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import { hasProgram, succeeds } from "../peers.ts";

const script = path.resolve(import.meta.dirname, "../../../lab/start-block-libvirt.sh");

/** Empty where a second daemon can be started; otherwise what is missing. */
export const withoutBlocks = ((): string => {
  if (process.getuid?.() !== 0) return "needs root";
  if (!succeeds("libvirtd", "--version")) return "needs libvirtd: lab/start-libvirt.sh installs it";
  if (!hasProgram("lvs", "--version")) return "needs the programs of LVM: apt install lvm2";
  return succeeds("losetup", "--find") ? "" : "needs loop devices";
})();

/** A libvirtd of its own, whose pool `group` is made of block devices. lab/start-block-libvirt.sh says what is real. */
export interface BlockDaemon {
  group: string;
  connect(): Promise<Duplex>;
  /** As `lvextend` does. */
  extend(volume: string, size: string): void;
  close(): void;
}

export function startBlockDaemon(group: string): BlockDaemon {
  const folder = path.join(os.tmpdir(), group);
  const close = (): void => {
    execFileSync(script, ["--stop", folder]);
  };
  // What a run has left that was killed.
  close();
  try {
    // Its daemon would hold on to a pipe of ours.
    execFileSync(script, [folder, group], { stdio: "ignore" });
  } catch (thrown) {
    close();
    throw thrown;
  }
  return {
    group,
    connect: () =>
      new Promise((resolve, reject) => {
        const socket = net.connect(path.join(folder, "libvirt-sock"), () => resolve(socket));
        socket.once("error", reject);
      }),
    extend(volume, size) {
      execFileSync("truncate", ["--size", size, path.join(folder, "volumes", volume)]);
      execFileSync("losetup", ["--set-capacity", `/dev/${group}/${volume}`]);
    },
    close,
  };
}
