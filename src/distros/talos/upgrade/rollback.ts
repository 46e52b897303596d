import type { KubeNode } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import {
  defineResource,
  rollingRestart,
  type GraphNode,
  type RollingGates,
  type StepContext,
} from "../../../plan/index.ts";
import { parseVersion, rolloutOf, talosOf, type Cluster, type Node } from "../../../spec/index.ts";
import { markOf, release } from "../../kubernetes/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { emptyForReboot } from "./cordon.ts";
import { nothingBefore, rollbackUnfit } from "./errors.ts";
import { passGates } from "./gates.ts";
import { readSystem, sameSchematic, type NodeSystem } from "./node-system.ts";
import { handOverEtcd } from "../steps/members/forfeit-leadership.ts";
import { asking, letPodsIn, untilBack, untilRunning } from "./roll-system.ts";
import { takesKubernetes } from "./upgrade-path.ts";
import type { SystemWant } from "./system-want.ts";

/** Stands on a node while it goes back, with what it ran: a run that was cut must not send it forward again. */
const markFor = ({ version }: NodeSystem): string => `rollback-from-${version}`;

/** A node boots the system it ran before its last upgrade. */
export const rollbackStep = (cluster: Cluster, node: Node): GraphNode<SystemWant> => {
  const { factory, version, isSecureBoot = false } = talosOf(cluster);
  const controlPlanes = cluster.nodes.filter(({ role }) => role === "control-plane");
  return {
    id: `${cluster.name}/rollback/${node.name}`,
    kind: "talos/rollback",
    name: `the system of ${node.name}`,
    title: `Boot the system that ${node.name} ran before`,
    want: {
      cluster: cluster.name,
      endpoint: cluster.endpoint,
      node: node.name,
      address: node.address,
      role: node.role,
      build: { factory, version, platform: node.machine ? "metal" : "nocloud", isSecureBoot },
      drainMs: rolloutOf(cluster).drain.timeoutMs,
      controlPlanes: controlPlanes.map(({ name, address }) => ({ node: name, address })),
    },
    after: [],
    group: "nodes",
    stage: "distro",
    cluster: cluster.name,
    node: node.name,
    role: node.role,
    drains: "restart",
    usualMs: 180_000,
    facts: { before: "drained within its budgets, rebooted, its version compared" },
  };
};

/** Only the node knows what it ran before: it is told afterwards. */
export const talosRollback = (access: TalosAccess, gates: RollingGates) =>
  defineResource<SystemWant, NodeSystem>({
    kind: "talos/rollback",
    read: (_ctx, want) => readFitting(access, want),
    compare: (_want, { version }) => ({
      same: false,
      action: "update",
      consequence: "roll",
      fields: [{ field: "Talos", from: version, to: "what it ran before" }],
    }),
    create: (_ctx, want) => readFitting(access, want),
    update: (ctx, want) => rollBack(access, ctx, want, gates),
    remove: async () => {},
    out: ({ version }) => ({ version }),
  });

const nodeRef = (name: string) => ({ apiVersion: "v1", kind: "Node", name });

/**
 * What it ran before may be of the minor before, whose nodes refuse a newer Kubernetes than they know: it is not let back
 * where that could be so.
 */
async function readFitting(access: TalosAccess, want: SystemWant): Promise<NodeSystem> {
  const kube = await access.kube(want.cluster, want.endpoint);
  const [system, node] = await Promise.all([
    readSystem(access, want),
    kube.get<KubeNode>(nodeRef(want.node)),
  ]);
  const kubernetes = node?.status?.nodeInfo?.kubeletVersion.replace(/^v/, "");
  const { minor = 0 } = parseVersion(system.version) ?? {};
  const before = `1.${minor - 1}`;
  if (kubernetes !== undefined && takesKubernetes(`${before}.0`, kubernetes) === false)
    throw rollbackUnfit({ ...want, from: system.version, before, kubernetes });
  return system;
}

async function rollBack(
  access: TalosAccess,
  ctx: StepContext,
  want: SystemWant,
  gates: RollingGates,
): Promise<NodeSystem> {
  const site = { access, ctx, want };
  return rollingRestart(ctx, want, gates, async (others) => {
    await untilRunning(site, `${want.node} to answer`);
    const before = await readSystem(access, want);
    const kube = await access.kube(want.cluster, want.endpoint);
    const mark = markOf(await kube.get<KubeNode>(nodeRef(want.node)));
    const isBackAlready = mark?.startsWith("rollback-from-") === true && mark !== markFor(before);
    if (!isBackAlready) {
      await passGates(access, ctx, want, others);
      const bootId = await asking(site, (node) => node.bootId());
      await handOverEtcd(access, ctx, want, want.node);
      await emptyForReboot(access, ctx, want, markFor(before));
      try {
        await asking(site, (node) => node.rollback());
      } catch (thrown) {
        await release(kube, want.node);
        throw thrown instanceof SlipwayError && thrown.code === "TALOS_PRECONDITION"
          ? nothingBefore({ ...want, from: before.version, why: thrown.why })
          : thrown;
      }
      await untilRunning(site, `${want.node} to boot what it ran before`, bootId);
    }
    await untilBack(site);
    await letPodsIn(site);
    const found = await readSystem(access, want);
    if (
      !isBackAlready &&
      found.version === before.version &&
      sameSchematic(found.schematic, before.schematic)
    )
      throw nothingBefore({ ...want, from: before.version, why: "it rebooted and runs the same again" });
    return found;
  });
}
