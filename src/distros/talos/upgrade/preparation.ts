import { installerImage } from "../../../images/index.ts";
import { Semaphore } from "../../../lib/index.ts";
import { defineResource, same, type ReadContext, type StepContext } from "../../../plan/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { keepEtcdSnapshot } from "./etcd-snapshot.ts";
import { readSystem, type NodeReads } from "./node-system.ts";
import { isWanted, schematicOf, type SystemWant } from "./system-want.ts";

export interface PreparationWant {
  cluster: string;
  systems: SystemWant[];
  /** What these nodes get after that in the same run: its installers are fetched now as well. */
  later: SystemWant[];
}

interface PreparationHave {
  /** Nodes that run another system than they should. */
  due: string[];
}

const pullsAtOnce = 8;
const pullMs = 10 * 60_000;

/** What is at hand before the first node is drained: the installer on every node, and a snapshot of etcd here. */
export const talosPreparation = (access: TalosAccess, reads: NodeReads) => {
  const read = async (ctx: ReadContext, want: PreparationWant): Promise<PreparationHave> => {
    const due = await Promise.all(
      want.systems.map(async (system) => {
        const { reading } = await reads.node(ctx, system);
        return reading === undefined || isWanted(system, reading.system) ? [] : [system.node];
      }),
    );
    return { due: due.flat() };
  };
  return defineResource<PreparationWant, PreparationHave>({
    kind: "talos/preparation",
    face: () => ({ label: "before the upgrade" }),
    read,

    compare: (_want, { due }) =>
      due.length === 0 ? same : { same: false, action: "update", consequence: "hot", fields: [] },

    create: read,

    async update(ctx, want, { due }) {
      await pullInstallers(access, ctx, want, due);
      await keepSnapshot(access, ctx, want);
      return { due: [] };
    },

    remove: async () => {},
  });
};

async function pullInstallers(
  access: TalosAccess,
  ctx: StepContext,
  { cluster, systems, later }: PreparationWant,
  due: string[],
): Promise<void> {
  const places = new Semaphore(pullsAtOnce);
  const nodes = [...systems, ...later].filter(({ node }) => due.includes(node));
  let done = 0;
  await Promise.all(
    nodes.map((want) =>
      places.use(async () => {
        const schematicId = schematicOf(want, await readSystem(access, want));
        if (schematicId === undefined) return;
        const installer = installerImage({ ...want.build, schematicId });
        await access.using(cluster, want.address, (node) =>
          node.pullImage(installer, { timeoutMs: pullMs, signal: ctx.signal }),
        );
        done += 1;
        ctx.progress(done, nodes.length, "steps");
      }),
    ),
  );
}

async function keepSnapshot(
  access: TalosAccess,
  ctx: StepContext,
  { cluster, systems }: PreparationWant,
): Promise<void> {
  const [first] = systems;
  const [source] = first?.controlPlanes ?? [];
  if (!first || !source) return;
  const name = `etcd-before-talos-${first.build.version}.db`;
  const file = await keepEtcdSnapshot(access, ctx, { cluster, ...source }, name);
  ctx.log("info", `a snapshot of etcd is kept in ${file}`);
}
