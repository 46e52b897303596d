import { SlipwayError } from "../../../errors/index.ts";
import type { ProxmoxClient } from "../../../clients/proxmox/index.ts";
import { defineResource, type ReadContext, type StepContext } from "../../../plan/index.ts";
import { foreignHa } from "../errors.ts";
import { antiAffinityFor, compareHa, haComment, haName, type HaHave, type HaWant } from "./ha-want.ts";
import type { HostRegistry } from "../host-registry.ts";

// The manager counts the nodes it can use only after its first round.
const ruleWait = { deadlineMs: 2 * 60_000, everyMs: 3_000, usualMs: 1_000 };

/** The machines of a cluster under Proxmox's own high availability; on one Proxmox cluster. */
export const proxmoxHa = (registry: HostRegistry) =>
  defineResource<HaWant, HaHave>({
    kind: "proxmox/ha",
    face: () => ({
      label: "HA",
      planLine: { title: "HA", text: "Proxmox restarts machines of a lost host on others" },
    }),
    read: async (ctx, want) => readHa(ctx, await registry.client(want.host), want),
    compare: compareHa,
    create: (ctx, want) => ensure(ctx, registry, want),
    update: (ctx, want, have) =>
      want.machines.length === 0 ? release(ctx, registry, have) : ensure(ctx, registry, want),
    remove: async (ctx, have) => void (await release(ctx, registry, have)),
    out: (have) => ({ machines: have.managed.length }),
  });

async function readHa(ctx: ReadContext, client: ProxmoxClient, want: HaWant): Promise<HaHave | undefined> {
  const { cluster, host } = want;
  const [version, all, nodes] = await Promise.all([
    client.version(ctx.signal),
    client.haResources(ctx.signal),
    client.nodes(ctx.signal),
  ]);
  const comment = haComment(cluster);
  const managed = all.filter(
    (each) => each.comment === comment || want.machines.some(({ vmid }) => vmid === each.vmid),
  );
  const name = haName(cluster);
  const hasGroups = version.startsWith("8.");
  const rule = hasGroups
    ? undefined
    : (await client.antiAffinityRules(ctx.signal)).find((each) => each.name === name);
  const group = hasGroups
    ? (await client.haGroups(ctx.signal)).find((each) => each.name === name)
    : undefined;
  if (managed.length === 0 && !rule && !group) return undefined;
  const stranger = [rule, group].find((each) => each && each.comment !== comment);
  if (stranger) throw foreignHa({ name, cluster });
  return {
    cluster,
    host,
    hasGroups,
    nodeCount: nodes.length,
    managed,
    rule,
    group,
  };
}

/** Each part is left out when an earlier run has done it. */
async function ensure(ctx: StepContext, registry: HostRegistry, want: HaWant): Promise<HaHave> {
  const client = await registry.client(want.host);
  const { cluster } = want;
  const [name, comment] = [haName(cluster), haComment(cluster)];
  const found = await readHa(ctx, client, want);
  const hasGroups = found?.hasGroups ?? (await client.version(ctx.signal)).startsWith("8.");
  if (hasGroups) {
    const group = { name, nodes: want.nodes, comment };
    await (found?.group ? client.changeHaGroup(group, ctx.signal) : client.addHaGroup(group, ctx.signal));
  }
  for (const { vmid } of want.machines) {
    const resource = { vmid, comment, group: hasGroups ? name : undefined };
    const isKnown = found?.managed.some((each) => each.vmid === vmid);
    await (isKnown
      ? client.changeHaResource(resource, ctx.signal)
      : client.addHaResource(resource, ctx.signal));
  }
  if (!hasGroups) await setAntiAffinity(ctx, client, want);
  const have = await readHa(ctx, client, want);
  if (!have) throw new Error(`nothing of ${cluster} is under high availability`);
  return have;
}

/** A rule may only speak of machines that are managed already. */
async function setAntiAffinity(ctx: StepContext, client: ProxmoxClient, want: HaWant): Promise<void> {
  const name = haName(want.cluster);
  const nodes = await client.nodes(ctx.signal);
  const vmids = antiAffinityFor(want, nodes.length).map((machine) => machine.vmid);
  const isThere = (await client.antiAffinityRules(ctx.signal)).some((rule) => rule.name === name);
  if (vmids.length === 0) {
    if (isThere) await client.dropHaRule(name, ctx.signal);
    return;
  }
  const rule = { name, vmids, comment: haComment(want.cluster) };
  await ctx.waitFor(
    { what: "the HA manager to take the rule", probe: "rule", ...ruleWait },
    async (signal) => {
      try {
        await (isThere
          ? client.changeAntiAffinityRule(rule, signal)
          : client.addAntiAffinityRule(rule, signal));
        return { done: true, value: undefined };
      } catch (thrown) {
        const isEarly =
          thrown instanceof SlipwayError && /more resources than available nodes/.test(thrown.why);
        if (!isEarly) throw thrown;
        return { done: false, seen: "it knows fewer nodes than there are control planes" };
      }
    },
  );
}

/** The resources go last: they are what a later run finds the rest by. Machines run on as they are. */
async function release(ctx: StepContext, registry: HostRegistry, have: HaHave): Promise<HaHave> {
  const client = await registry.client(have.host);
  const comment = haComment(have.cluster);
  if (have.rule) await client.dropHaRule(have.rule.name, ctx.signal);
  if (have.group) {
    for (const { vmid } of have.managed) await client.changeHaResource({ vmid, comment }, ctx.signal);
    await client.dropHaGroup(have.group.name, ctx.signal);
  }
  for (const { vmid } of have.managed) await client.releaseFromHa(vmid, ctx.signal);
  const { rule: _rule, group: _group, ...rest } = have;
  return { ...rest, managed: [] };
}
