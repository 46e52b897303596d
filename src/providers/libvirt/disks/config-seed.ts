import { defineResource, same, type GraphNode, type Resource, type StepId } from "../../../plan/index.ts";
import { pathOf, type MachineHave } from "../machine/find-machine.ts";
import type { MachineKey, MachineWant } from "../machine/machine-want.ts";
import { configSeedVolume } from "../names.ts";

/** The machine as it is to be once its node has read its config: with a seed that holds no keys. */
export interface ConfigSeedWant extends MachineKey {
  machine: MachineWant;
}

export interface ConfigSeedHave {
  isGone: boolean;
}

const usualMs = 300;

/** Whether a machine still has the drive with the config of its node. */
export const hasConfigSeed = (
  { cluster, node }: MachineKey,
  { defined }: Pick<MachineHave, "defined">,
): boolean =>
  defined.seed !== undefined && pathOf(defined.seed.source).endsWith(`/${configSeedVolume(cluster, node)}`);

/** A machine gets that drive when it is made; one that has lost it does not get it again. */
export function asFound(want: MachineWant, have: MachineHave): MachineWant {
  if (!want.hasConfigSeed || have.isUnfinished || hasConfigSeed(want, have)) return want;
  const { hasConfigSeed: _gone, firstConfig: _too, ...plain } = want;
  return plain;
}

/** That the keys of a cluster do not lie on its hosts for longer than its nodes need to read them. */
export const libvirtConfigSeed = (whole: Pick<Resource<MachineWant, MachineHave>, "read" | "update">) => {
  const remove: Resource<ConfigSeedWant, ConfigSeedHave>["create"] = async (ctx, want) => {
    const have = await whole.read(ctx, want.machine);
    if (have && hasConfigSeed(want, have)) await whole.update(ctx, want.machine, have);
    return { isGone: true };
  };
  return defineResource<ConfigSeedWant, ConfigSeedHave>({
    kind: "libvirt/config-seed",
    async read(ctx, want) {
      const have = await whole.read(ctx, want.machine);
      return have && { isGone: !hasConfigSeed(want, have) };
    },
    compare: (_want, have) =>
      have.isGone
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "seed drive", from: "with the config", to: "without it" }],
          },
    create: remove,
    update: remove,
    // It goes with its machine.
    remove: async () => undefined,
  });
};

export function configSeedNode(
  { id, want, host, node, role }: GraphNode<MachineWant>,
  installed: StepId,
): GraphNode<ConfigSeedWant> {
  const { hasConfigSeed: _gone, firstConfig: _too, ...machine } = want;
  return {
    id: `${want.cluster}/seed/${want.node}`,
    kind: "libvirt/config-seed",
    name: `config on the seed drive of ${want.node}`,
    title: `Take the config off the seed drive of ${want.node}`,
    want: { host: want.host, cluster: want.cluster, node: want.node, machine },
    after: [id, installed],
    within: [id],
    group: "nodes",
    stage: "kubernetes",
    cluster: want.cluster,
    host,
    node,
    role,
    usualMs,
  };
}
