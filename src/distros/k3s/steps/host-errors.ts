import { SlipwayError } from "../../../errors/index.ts";

export interface HostPlace {
  cluster: string;
  node: string;
}

/** A command as a person would type it, without what was handed to it. */
const typed = (command: readonly string[]): string => command.join(" ");

export const hostCommandFailed = (
  f: HostPlace & { command: readonly string[]; code: number; said: string },
) =>
  new SlipwayError({
    code: "K3S_COMMAND_FAILED",
    what: `Cannot run "${typed(f.command)}" on "${f.node}"`,
    why: `it ended with ${f.code}${f.said === "" ? "" : `: ${f.said}`}`,
    next: /no space left/i.test(f.said)
      ? `See what fills its disk, or give it a larger one: slipway ssh ${f.cluster}/${f.node} -- df -h`
      : `Try it there: slipway ssh ${f.cluster}/${f.node} -- ${typed(f.command)}`,
  });

export const hostCommandSlow = (f: HostPlace & { command: readonly string[]; seconds: number }) =>
  new SlipwayError({
    code: "K3S_COMMAND_SLOW",
    what: `Cannot wait for "${typed(f.command)}" on "${f.node}"`,
    why: `it did not end within ${f.seconds}s`,
    next: `See what the machine is busy with: slipway ssh ${f.cluster}/${f.node} -- top -b -n 1`,
    transient: true,
  });

export const noRoot = (f: HostPlace & { user: string; said: string }) =>
  new SlipwayError({
    code: "K3S_NO_ROOT",
    what: `Cannot become root on "${f.node}"`,
    why: `sudo does not let "${f.user}": ${f.said}`,
    next: `Allow it without a password on the machine: echo '${f.user} ALL=(ALL) NOPASSWD:ALL' > /etc/sudoers.d/90-${f.user}`,
    else: "Name the user that the image makes (k3s.user): ubuntu, debian",
  });

export const uploadDamaged = (f: HostPlace & { file: string; found: string; wanted: string }) =>
  new SlipwayError({
    code: "K3S_UPLOAD_DAMAGED",
    what: `Cannot bring ${f.file} to "${f.node}"`,
    why: `its checksum there is ${f.found.slice(0, 12)}…, needed is ${f.wanted.slice(0, 12)}…`,
    next: `See that its disk is not full: slipway ssh ${f.cluster}/${f.node} -- df -h /usr/local /var/lib; then run "slipway up ${f.cluster}" again`,
    transient: true,
  });
