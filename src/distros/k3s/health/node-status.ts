import { isNodeReady } from "../../../clients/kube/index.ts";
import { describeCause, SlipwayError } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import type { K3sCluster, Node } from "../../../spec/index.ts";
import {
  guestOf,
  journalLength,
  readClock,
  type HostSession,
  type UnitState,
} from "../../linux-hosts/index.ts";
import { askNodes } from "../../kubernetes/index.ts";
import { isFounding } from "../files/membership-file.ts";
import { reasonIn, type JournalReason } from "../journal/journal.ts";
import { k3sPaths } from "../paths.ts";
import { unitName } from "../files/unit-file.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { installedVersion } from "../steps/node/host-state.ts";
import { roleOf } from "../step-names.ts";
import type { QuickStatus } from "../../../plan/index.ts";
import { kubeNodes } from "./healthy-nodes.ts";

/** What a node tells of itself after a login. */
export interface K3sNodeStatus {
  /** `Debian GNU/Linux 12 (bookworm)`. */
  release: string;
  addresses: string[];
  unit: UnitState;
  /** Undefined where there is no K3s yet. */
  version: string | undefined;
  clockAheadMs: number;
  /** With an empty disk it would found a cluster. */
  isFounder: boolean;
  /** What its journal holds against it; asked only while it is not up. */
  reason?: JournalReason | undefined;
}

export type NodeAnswer = K3sNodeStatus | { unreachableBecause: string; isForeign?: true | undefined };

export const hasAnswered = (answer: NodeAnswer | undefined): answer is K3sNodeStatus =>
  answer !== undefined && "unit" in answer;

/** Asks every node; each has this long. Never fails. */
export async function askAllNodes(
  access: K3sAccess,
  cluster: K3sCluster,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<Map<string, NodeAnswer>> {
  const late = `no answer within ${patienceMs / 1000}s`;
  return askNodes(cluster.nodes, async (node): Promise<NodeAnswer> => {
    try {
      return await limitTime(access.world.clock, patienceMs, late, signal, (limit) =>
        access.using(guestOf(cluster, node), (host) => statusOf(access, host, node, limit)),
      );
    } catch (thrown) {
      const isForeign = thrown instanceof SlipwayError && thrown.code === "LINUX_KEYS_LOST";
      const unreachableBecause = thrown instanceof SlipwayError ? thrown.why : describeCause(thrown);
      return { unreachableBecause, isForeign: isForeign || undefined };
    }
  });
}

async function statusOf(
  access: K3sAccess,
  host: HostSession,
  node: Node,
  signal: AbortSignal,
): Promise<K3sNodeStatus> {
  const unit = unitName(roleOf(node));
  const [state, version, clockAheadMs, membership, release, addresses] = await Promise.all([
    host.unit(unit, signal),
    installedVersion(host, signal),
    readClock(host, access.world.clock, signal),
    node.role === "control-plane" ? host.read(k3sPaths.membershipFile, signal) : undefined,
    host.read("/etc/os-release", signal),
    host.run(["hostname", "-I"], { signal }),
  ]);
  const reason =
    state.active === "active" ? undefined : reasonIn(await host.journal(unit, journalLength, signal));
  return {
    release: /^PRETTY_NAME="?([^"\n]*)/m.exec(release ?? "")?.[1] ?? "Linux",
    addresses: addresses.trim().split(/\s+/),
    unit: state,
    version,
    clockAheadMs,
    isFounder: membership !== undefined && isFounding(membership),
    reason,
  };
}

const patienceMs = 5_000;

/** One quick look at every node, by SSH and through Kubernetes. Never fails: partial truth beats none. */
export async function askNodeStatuses(
  access: K3sAccess,
  cluster: K3sCluster,
  signal: AbortSignal,
): Promise<Map<string, QuickStatus>> {
  if (!(await access.findBundle(cluster.name))) return new Map();
  const known = limitTime(access.world.clock, patienceMs, "late", signal, (limit) =>
    kubeNodes(access, cluster, limit),
  );
  const [nodeStatuses, nodes] = await Promise.all([
    askAllNodes(access, cluster, patienceMs, signal),
    known.catch(() => undefined),
  ]);
  const looks = cluster.nodes.map(({ name }): [string, QuickStatus] => {
    const nodeStatus = nodeStatuses.get(name);
    const node = nodes?.find(({ metadata }) => metadata.name === name);
    const isReady = nodes && {
      isReady: node !== undefined && isNodeReady(node),
      isCordoned: node?.spec?.unschedulable,
    };
    if (!hasAnswered(nodeStatus))
      return [name, { unreachableBecause: nodeStatus?.unreachableBecause ?? "not asked", ...isReady }];
    const k3s = nodeStatus.version === undefined ? "" : `, K3s ${nodeStatus.version}`;
    const release = nodeStatus.version === undefined ? {} : { release: `K3s ${nodeStatus.version}` };
    return [name, { software: `${nodeStatus.release}${k3s}`, ...release, ...isReady }];
  });
  return new Map(looks);
}
