import { describeCause, SlipwayError } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import type { K3sCluster, Node } from "../../../spec/index.ts";
import { guestOf } from "../../linux/index.ts";
import { isFounding } from "../membership.ts";
import { reasonIn, type JournalReason } from "../journal.ts";
import { k3sPaths } from "../paths.ts";
import { unitName } from "../unit-file.ts";
import { journalLength } from "./come-up.ts";
import { readClock } from "./host-clock.ts";
import type { HostSession } from "./host-session.ts";
import type { K3sAccess } from "./k3s-access.ts";
import { installedVersion } from "./node-look.ts";
import { roleOf } from "./step-names.ts";
import type { UnitState } from "./unit-state.ts";

/** What a node tells of itself when somebody logs in. */
export interface NodeSight {
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
  reason?: JournalReason;
}

export type NodeAnswer = NodeSight | { silence: string; isForeign?: true };

export const isSight = (answer: NodeAnswer | undefined): answer is NodeSight =>
  answer !== undefined && "unit" in answer;

/** Asks every node at the same time; each has this long. Never fails. */
export async function lookEverywhere(
  access: K3sAccess,
  cluster: K3sCluster,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<Map<string, NodeAnswer>> {
  const late = `no answer within ${patienceMs / 1000}s`;
  const answers = cluster.nodes.map(async (node): Promise<[string, NodeAnswer]> => {
    try {
      const seen = await limitTime(patienceMs, late, signal, (limit) =>
        access.using(guestOf(cluster, node), (host) => sightOf(access, host, node, limit)),
      );
      return [node.name, seen];
    } catch (thrown) {
      const isForeign = thrown instanceof SlipwayError && thrown.code === "LINUX_KEYS_LOST";
      const silence = thrown instanceof SlipwayError ? thrown.why : describeCause(thrown);
      return [node.name, { silence, ...(isForeign && { isForeign }) }];
    }
  });
  return new Map(await Promise.all(answers));
}

async function sightOf(
  access: K3sAccess,
  host: HostSession,
  node: Node,
  signal: AbortSignal,
): Promise<NodeSight> {
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
    ...(reason && { reason }),
  };
}
