import type { BootDevice, GuestDisk, GuestDisks, GuestHardware, SeedBus } from "../guest.ts";
import type { FileStore } from "./files/file-entry.ts";

/** What a Linux host keeps on its disk. */
export interface LinuxDisk {
  release: Release;
  architecture: "amd64" | "arm64";
  hostname: string;
  /** Starts so far. */
  boots: number;
  /** Of the seed it was set up by. */
  instanceId?: string;
  /** The instance whose host keys cloud-init has printed: once for each. */
  printedKeysOf?: string;
  /** Who logs in. */
  user: string;
  /** As the seed said: the network comes up with them even when the drive is gone. */
  addresses?: NonNullable<GuestHardware["seed"]>["addresses"];
  packages: string[];
  files: FileStore;
}

export type Release = keyof typeof releases;

interface ReleaseFacts {
  osRelease: string;
  user: string;
  kernel: string;
  /** Buses that this kernel has no driver for. */
  unseenBuses: readonly SeedBus[];
  sshd: string;
  systemd: number;
  cloudInit: string;
}

export const releases = {
  noble: {
    osRelease: `PRETTY_NAME="Ubuntu 24.04.3 LTS"
NAME="Ubuntu"
VERSION_ID="24.04"
VERSION="24.04.3 LTS (Noble Numbat)"
VERSION_CODENAME=noble
ID=ubuntu
ID_LIKE=debian
UBUNTU_CODENAME=noble
`,
    user: "ubuntu",
    kernel: "6.8.0-85-generic",
    unseenBuses: [],
    sshd: "OpenSSH_9.6p1 Ubuntu-3ubuntu13.14",
    systemd: 255,
    cloudInit: "25.2-0ubuntu1~24.04.1",
  },
  bookworm: {
    osRelease: `PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
NAME="Debian GNU/Linux"
VERSION_ID="12"
VERSION="12 (bookworm)"
VERSION_CODENAME=bookworm
ID=debian
`,
    user: "debian",
    kernel: "6.1.0-40-cloud-amd64",
    // Debian builds its cloud kernel without AHCI.
    unseenBuses: ["sata"],
    sshd: "OpenSSH_9.2p1 Debian-2+deb12u7",
    systemd: 252,
    cloudInit: "22.4.2",
  },
} as const satisfies Record<string, ReleaseFacts>;

const cloudImages =
  /cloudimg|genericcloud|cloud-?image|slipway-linux-|(?:^|[^a-z])(?:debian|ubuntu|noble|jammy|bookworm|trixie)(?:[^a-z]|$)/i;

/** Whether an image of this name or URL holds Linux with cloud-init. */
export const isCloudImage = (image: string): boolean => !/talos/i.test(image) && cloudImages.test(image);

/** The disk that the firmware finds Linux on; undefined when something else would start. */
export function linuxSlot({ boot }: Pick<GuestHardware, "boot">, disks: GuestDisks): BootDevice | undefined {
  for (const device of boot) {
    const { kind, slot, image } = device;
    const content = disks[slot];
    if (kind === "disk" && content && (findLinux(content) || (image !== undefined && isCloudImage(image))))
      return device;
    // Whatever else is there is started instead; a blank disk and an empty drive are passed over.
    if (image !== undefined || (content && Object.keys(content).length > 0)) return undefined;
  }
  return undefined;
}

const findLinux = (content: GuestDisk): LinuxDisk | undefined => content["linux"] as LinuxDisk | undefined;

/** What is on the disk; at the first start as the image brings it. */
export function openLinuxDisk(content: GuestDisk, image: string): LinuxDisk {
  const found = findLinux(content);
  if (found) return found;
  const release = /debian|bookworm/i.test(image) ? "bookworm" : "noble";
  const disk: LinuxDisk = {
    release,
    architecture: /arm64|aarch64/i.test(image) ? "arm64" : "amd64",
    hostname: release === "noble" ? "ubuntu" : "localhost",
    boots: 0,
    user: releases[release].user,
    packages: [...broughtAlong],
    files: firstFiles(releases[release]),
  };
  content["linux"] = disk;
  return disk;
}

const broughtAlong = [
  "apt",
  "bash",
  "ca-certificates",
  "cloud-init",
  "coreutils",
  "curl",
  "dpkg",
  "iproute2",
  "iptables",
  "openssh-server",
  "sudo",
  "systemd",
  "tar",
];

const folders = [
  "/etc",
  "/etc/ssh",
  "/etc/systemd",
  "/etc/systemd/system",
  "/etc/systemd/system/multi-user.target.wants",
  "/home",
  "/opt",
  "/usr",
  "/usr/bin",
  "/usr/lib",
  "/usr/local",
  "/usr/local/bin",
  "/var",
  "/var/lib",
  "/var/log",
];

const firstFiles = ({ osRelease }: ReleaseFacts): FileStore => ({
  "/": { kind: "folder", owner: "root", mode: 0o755 },
  ...Object.fromEntries(
    folders.map((path) => [path, { kind: "folder" as const, owner: "root", mode: 0o755 }]),
  ),
  "/root": { kind: "folder", owner: "root", mode: 0o700 },
  "/tmp": { kind: "folder", owner: "root", mode: 0o1777 },
  "/var/run": { kind: "link", owner: "root", mode: 0o777, target: "/run" },
  "/usr/lib/os-release": { kind: "file", owner: "root", mode: 0o644, text: osRelease },
  "/etc/os-release": { kind: "link", owner: "root", mode: 0o777, target: "../usr/lib/os-release" },
  "/etc/passwd": { kind: "file", owner: "root", mode: 0o644, text: "root:x:0:0:root:/root:/bin/bash\n" },
  "/etc/shadow": { kind: "file", owner: "root", mode: 0o640, text: "root:*:20000:0:99999:7:::\n" },
});
