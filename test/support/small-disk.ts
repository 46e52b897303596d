import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { succeeds } from "./peers.ts";

export interface SmallDisk {
  folder: string;
  /** Takes all space that is left, and gives back how to free it. */
  fill(): () => void;
  makeReadOnly(): void;
  [Symbol.dispose](): void;
}

const mounted = (folder: string, options: string): boolean =>
  succeeds("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder);

const newFolder = (): string => mkdtempSync(path.join(os.tmpdir(), "slipway-disk-"));

function unmount(folder: string): void {
  spawnSync("umount", [folder]);
  rmdirSync(folder);
}

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = newFolder();
  const isThere = mounted(folder, "size=4k");
  if (isThere) unmount(folder);
  else rmdirSync(folder);
  return isThere;
}

/** A real file system with little space. Needs the right to mount one. */
export const smallDisk = {
  how: "a tmpfs; needs root on Linux",
  isMissing: !canMount(),
  mount(sizeKiB: number, folder = newFolder()): SmallDisk {
    if (!mounted(folder, `size=${sizeKiB}k,mode=0700`)) throw new Error("no tmpfs could be mounted");
    return {
      folder,
      fill() {
        const file = path.join(folder, "filler");
        for (const step of [65_536, 4_096, 256, 1])
          for (;;) {
            try {
              appendFileSync(file, Buffer.alloc(step));
            } catch {
              break;
            }
          }
        return () => rmSync(file);
      },
      makeReadOnly: () => void spawnSync("mount", ["-o", "remount,ro", folder]),
      [Symbol.dispose]: () => unmount(folder),
    };
  },
};
