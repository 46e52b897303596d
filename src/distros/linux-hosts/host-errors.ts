import { defineError } from "../../errors/index.ts";

export interface HostPlace {
  cluster: string;
  node: string;
}

/** A command as a person would type it, without what was handed to it. */
const typed = (command: readonly string[]): string => command.join(" ");

export const hostCommandFailed = defineError(
  "K3S_COMMAND_FAILED",
  (f: HostPlace & { command: readonly string[]; code: number; said: string }) => ({
    what: `Cannot run "${typed(f.command)}" on "${f.node}"`,
    why: `it ended with ${f.code}${f.said === "" ? "" : `: ${f.said}`}`,
    next: /no space left/i.test(f.said)
      ? `See what fills its disk, or give it a larger one: slipway ssh ${f.cluster}/${f.node} -- df -h`
      : `Try it there: slipway ssh ${f.cluster}/${f.node} -- ${typed(f.command)}`,
  }),
  [{ said: "no space left on device" }],
);

export const hostCommandSlow = defineError(
  "K3S_COMMAND_SLOW",
  (f: HostPlace & { command: readonly string[]; seconds: number }) => ({
    what: `Cannot wait for "${typed(f.command)}" on "${f.node}"`,
    why: `it did not end within ${f.seconds}s`,
    next: `See what the machine is busy with: slipway ssh ${f.cluster}/${f.node} -- top -b -n 1`,
    transient: true,
  }),
);

export const noRoot = defineError(
  "K3S_NO_ROOT",
  (f: HostPlace & { user: string; said: string; userField: string }) => ({
    what: `Cannot become root on "${f.node}"`,
    why: `sudo does not let "${f.user}": ${f.said}`,
    next: `Allow it without a password on the machine: echo '${f.user} ALL=(ALL) NOPASSWD:ALL' > /etc/sudoers.d/90-${f.user}`,
    else: `Name the user that the image makes (${f.userField}): ubuntu, debian`,
  }),
);

export const uploadDamaged = defineError(
  "K3S_UPLOAD_DAMAGED",
  (f: HostPlace & { file: string; found: string; wanted: string }) => ({
    what: `Cannot bring ${f.file} to "${f.node}"`,
    why: `its checksum there is ${f.found.slice(0, 12)}…, needed is ${f.wanted.slice(0, 12)}…`,
    next: `See that its disk is not full: slipway ssh ${f.cluster}/${f.node} -- df -h /usr/local /var/lib; then run "slipway up ${f.cluster}" again`,
    transient: true,
  }),
);

export const wrongArchitecture = defineError(
  "K3S_WRONG_ARCHITECTURE",
  (f: HostPlace & { software: string; found: string; wanted: string }) => ({
    what: `Cannot run ${f.software} for ${f.wanted} on "${f.node}"`,
    why: `the machine says it is ${f.found}`,
    next: `Use an image for ${f.wanted}, or write architecture: ${f.found === "aarch64" ? "arm64" : "amd64"}`,
  }),
  [{ found: "aarch64" }],
);

export const cgroupsMissing = defineError(
  "K3S_CGROUPS_MISSING",
  (f: HostPlace & { software: string; missing: string[] }) => ({
    what: `Cannot run ${f.software} on "${f.node}"`,
    why: `its kernel has no cgroup controller for ${f.missing.join(", ")}`,
    next: `Start it with "cgroup_enable=memory cgroup_memory=1" on the kernel's command line, or use a current Debian or Ubuntu image`,
  }),
);

export const portsTaken = defineError(
  "K3S_PORTS_IN_USE",
  (f: HostPlace & { software: string; ports: number[] }) => ({
    what: `Cannot start ${f.software} on "${f.node}"`,
    why: `something listens on port ${f.ports.join(", ")} already`,
    next: `See what it is and stop it: slipway ssh ${f.cluster}/${f.node} -- sudo ss -ltnp`,
  }),
);

export const clockOff = defineError(
  "K3S_CLOCK_OFF",
  (f: HostPlace & { aheadMs: number }) => ({
    what: `Cannot trust the clock of "${f.node}"`,
    why: `it is ${Math.round(Math.abs(f.aheadMs) / 1000)}s ${f.aheadMs > 0 ? "ahead of" : "behind"} this computer's, and certificates would not be valid yet, or no longer`,
    next: `See whether it reaches its time server: slipway ssh ${f.cluster}/${f.node} -- timedatectl timesync-status`,
  }),
  [{ aheadMs: 60_000 }],
);

export const packagesFailed = defineError(
  "K3S_PACKAGES_FAILED",
  (f: HostPlace & { packages: string[]; said: string }) => ({
    what: `Cannot install ${f.packages.join(", ")} on "${f.node}"`,
    why: `apt-get says: ${f.said}`,
    next: `See that the name is right and the machine reaches its mirror: slipway ssh ${f.cluster}/${f.node} -- sudo apt-get update`,
    transient: /lock|temporar/i.test(f.said),
  }),
);
