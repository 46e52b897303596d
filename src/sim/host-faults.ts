import { wildcard } from "./wildcard.ts";

/** What can be wrong on a simulated Linux host for as long as the fault stands. */
export const hostFaultKinds = [
  "cloud-init-error",
  "cloud-init-degraded",
  "cloud-init-never-done",
  "no-keys-on-console",
  "clock-skew",
  "no-memory-cgroup",
  "port-taken",
  "disk-full",
  "apt-lock-held",
  "package-missing",
  "ssh-login-refused",
  "sudo-refused",
] as const;

export type HostFaultKind = (typeof hostFaultKinds)[number];

/**
 * A standing fault. `host` is the name of the machine; without it all are struck. `host`, `path` and `package` may hold `*`.
 *
 * cloud-init-error, cloud-init-degraded: its next run ends so, with `message` among its complaints · cloud-init-never-done: its
 * next run does not end · no-keys-on-console: its image has no keys_to_console · clock-skew: the host's clock is `skewMs` ahead · no-memory-cgroup: its kernel counts no memory ·
 * port-taken: `port` belongs to another process · disk-full: nothing can be written below `path` · apt-lock-held: another process
 * holds the lock of dpkg · package-missing: `package` is in no archive · ssh-login-refused: no key opens it ·
 * sudo-refused: sudo wants a password.
 */
export interface HostFault {
  kind: HostFaultKind;
  host?: string | undefined;
  message?: string | undefined;
  skewMs?: number | undefined;
  /** 6443 unless told. */
  port?: number | undefined;
  path?: string | undefined;
  package?: string | undefined;
}

interface HostFaultTarget {
  host: string;
  path?: string;
  package?: string;
}

/** The faults that stand now. They may come and go while hosts run. */
export interface HostFaults {
  find(kind: HostFaultKind, target: HostFaultTarget): HostFault | undefined;
  add(...faults: HostFault[]): void;
  /** Ends all faults of a kind, or all. */
  clear(kind?: HostFaultKind): void;
}

export function hostFaults(initial: HostFault[] = []): HostFaults {
  let standing = [...initial];
  return {
    find: (kind, target) => standing.find((fault) => fault.kind === kind && strikes(fault, target)),
    add(...faults) {
      standing = [...standing, ...faults];
    },
    clear(kind) {
      standing = kind === undefined ? [] : standing.filter((fault) => fault.kind !== kind);
    },
  };
}

const strikes = (fault: HostFault, target: HostFaultTarget): boolean =>
  fits(fault.host, target.host) && fitsPath(fault.path, target.path) && fits(fault.package, target.package);

const fits = (pattern: string | undefined, value: string | undefined): boolean =>
  pattern === undefined || (value !== undefined && wildcard(pattern).test(value));

/** A folder stands for all that is in it. */
const fitsPath = (pattern: string | undefined, value: string | undefined): boolean =>
  fits(pattern, value) || fits(`${pattern}/*`, value);
