import { clusterFaults, type ClusterFault, type ClusterFaults } from "./cluster-faults.ts";
import { hostFaults, type HostFault, type HostFaults } from "./host-faults.ts";
import { wildcard } from "./wildcard.ts";

/** What can go wrong with a call to a simulated server. */
export const faultKinds = [
  "refuse",
  "hang",
  "error",
  "unreachable",
  "lock",
  "lost-reply",
  "die",
  "no-quorum",
] as const;

/**
 * refuse: the connection is cut before the call is looked at · hang: no answer ever · error: the server's own 5xx or
 * gRPC Internal/Unavailable · unreachable: 595 (Proxmox), Unavailable elsewhere · lock: a lock time-out, in the task
 * where the real one shows it there · lost-reply: the work is done, the answer is cut · die: the guest or host of the
 * call loses power · no-quorum: the call finds a cluster without quorum (Proxmox). At libvirt, refuse restarts the daemon.
 */
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  /** The call as the server names it, `*` for any run of characters: `proxmox POST /nodes/*\/qemu`. */
  call: string;
  kind: FaultKind;
  /** How many matching calls pass before the fault strikes. */
  after?: number | undefined;
  /** How often it strikes. */
  times?: number | undefined;
}

/** Decides for each call whether a fault strikes, and remembers what was called. */
export interface FaultBox {
  /**
   * Call names: `proxmox METHOD /path/template`, `talos package.Service/Method`, `kube METHOD /path`, `libvirt HOST PROCEDURE`
   * (`libvirt HOST CONNECT` for a new connection), `linux HOST COMMAND` (as
   * typed, without `sudo -n`), `proxmox LOGIN …/vncwebsocket` for the login in the terminal of a console (refuse, hang and
   * lost-reply), and `talos boot VERSION` for the first start of an upgraded system: when it fails, the node runs the one
   * before it.
   */
  next(call: string): FaultKind | undefined;
  /** Every call seen, in order. */
  readonly seen: string[];
  /** What stands wrong inside the Kubernetes clusters, apart from any call. */
  readonly cluster: ClusterFaults;
  /** What stands wrong on Linux hosts, apart from any call. */
  readonly hosts: HostFaults;
}

export function faultBox(
  faults: Fault[] = [],
  standing: ClusterFault[] = [],
  onHosts: HostFault[] = [],
): FaultBox {
  const armed = faults.map((fault) => ({
    pattern: wildcard(fault.call),
    kind: fault.kind,
    pass: fault.after ?? 0,
    left: fault.times ?? 1,
  }));
  const seen: string[] = [];
  return {
    seen,
    cluster: clusterFaults(standing),
    hosts: hostFaults(onHosts),
    next(call) {
      seen.push(call);
      for (const fault of armed) {
        if (fault.left === 0 || !fault.pattern.test(call)) continue;
        if (fault.pass > 0) {
          fault.pass -= 1;
          continue;
        }
        fault.left -= 1;
        return fault.kind;
      }
      return undefined;
    },
  };
}
