import { inHashOrder } from "../hash-order.ts";
import { refusal, under } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import { splitList } from "../parameters/formats.ts";
import { demandDeletable, demandDigest, fullSid, haDigest } from "./ha.ts";
import type { HaGroup, HaRule } from "./state.ts";
import { demandRule, ruleView, ruleWith } from "./rules.ts";

export const haRuleCalls: Handlers<
  | "GET /cluster/ha/rules"
  | "POST /cluster/ha/rules"
  | "GET /cluster/ha/rules/{rule}"
  | "PUT /cluster/ha/rules/{rule}"
  | "DELETE /cluster/ha/rules/{rule}"
  | "GET /cluster/ha/groups"
  | "POST /cluster/ha/groups"
  | "GET /cluster/ha/groups/{group}"
  | "PUT /cluster/ha/groups/{group}"
  | "DELETE /cluster/ha/groups/{group}"
> = {
  "GET /cluster/ha/rules": (context, { resource, type }) =>
    inHashOrder(context.cluster, Object.entries(context.cluster.state.ha.rules))
      .filter(([, rule]) => type === undefined || rule.type === type)
      .filter(([, rule]) => resource === undefined || rule.resources.includes(fullSid(resource)))
      .map(([name, rule]) => shownRule(context, name, rule)),

  "POST /cluster/ha/rules": ({ cluster }, { rule: name, ...wish }) => {
    const { rules } = cluster.state.ha;
    if (rules[name]) throw refusal(`create ha rule failed: HA rule '${name}' already defined`);
    const rule = ruleWith(undefined, wish);
    demandRule(cluster, name, rule, "create ha rule");
    rules[name] = rule;
    cluster.changed();
  },

  "GET /cluster/ha/rules/{rule}": (context, { rule: name }) => {
    const rule = context.cluster.state.ha.rules[name];
    if (!rule) throw refusal(`no such ha rule '${name}'`);
    return shownRule(context, name, rule);
  },

  "PUT /cluster/ha/rules/{rule}": ({ cluster }, params) => {
    const { rule: name, delete: removed = "", digest, ...wish } = params;
    const { rules } = cluster.state.ha;
    const doing = "update HA rules";
    const rule = under(`${doing} failed`, () => {
      demandDigest(digest, rules);
      const before = rules[name];
      if (!before) throw refusal(`HA rule '${name}' does not exist`);
      if (before.type !== wish.type) throw refusal(`HA rule '${name}' is not of type '${wish.type}'`);
      const gone = splitList(removed);
      demandDeletable(gone, ruleOptions[wish.type]);
      const both = gone.find((key) => wish[key as keyof typeof wish] !== undefined);
      if (both !== undefined) throw refusal(`cannot set and delete property '${both}' at the same time!`);
      const after = ruleWith(before, wish);
      for (const key of gone) delete after[key as keyof HaRule];
      return after;
    });
    demandRule(cluster, name, rule, doing);
    rules[name] = rule;
    cluster.changed();
  },

  // A rule that is not there counts as deleted.
  "DELETE /cluster/ha/rules/{rule}": ({ cluster }, { rule }) => {
    delete cluster.state.ha.rules[rule];
    cluster.changed();
  },

  "GET /cluster/ha/groups": (context) => {
    demandGroups(context, "index groups");
    return Object.keys(context.cluster.state.ha.groups).map((name) => groupView(context, name));
  },

  "POST /cluster/ha/groups": (context, { group, type: _type, ...settings }) => {
    demandGroups(context, "create group");
    const { groups } = context.cluster.state.ha;
    if (groups[group]) throw refusal(`create ha group failed: ha group ID '${group}' already defined`);
    groups[group] = settings;
    context.cluster.changed();
  },

  "GET /cluster/ha/groups/{group}": (context, { group }) => {
    demandGroups(context, "read group");
    return groupView(context, group);
  },

  "PUT /cluster/ha/groups/{group}": (context, params) => {
    demandGroups(context, "update group");
    const { group: name, delete: removed = "", digest, ...settings } = params;
    under("update ha group failed", () => {
      demandDigest(digest, context.cluster.state.ha.groups);
      const group = findGroup(context, name);
      const gone = splitList(removed);
      demandDeletable(gone, { optional: ["comment", "nofailback", "restricted"], required: ["nodes"] });
      Object.assign(group, settings);
      for (const key of gone) delete group[key as keyof HaGroup];
    });
    context.cluster.changed();
  },

  "DELETE /cluster/ha/groups/{group}": (context, { group }) => {
    demandGroups(context, "delete group");
    const { ha } = context.cluster.state;
    const user = Object.entries(ha.resources).find(([, resource]) => resource.group === group)?.[0];
    if (user !== undefined) throw refusal(`delete ha group failed: ha group is used by service '${user}'`);
    delete ha.groups[group];
    context.cluster.changed();
  },
};

const ruleOptions = {
  "node-affinity": { required: ["resources", "nodes"], optional: ["strict", "comment", "disable"] },
  "resource-affinity": { required: ["resources", "affinity"], optional: ["comment", "disable"] },
};

const shownRule = (context: CallContext, name: string, rule: HaRule): Record<string, unknown> => ({
  ...ruleView(context.cluster, name, rule),
  digest: haDigest(context.cluster.state.ha.rules),
});

function demandGroups({ cluster }: CallContext, doing: string): void {
  if (cluster.version === 9) throw refusal(`cannot ${doing}: ha groups have been migrated to rules`);
}

function findGroup({ cluster }: CallContext, name: string): HaGroup {
  const group = cluster.state.ha.groups[name];
  if (!group) throw refusal(`no such ha group '${name}'`);
  return group;
}

function groupView(context: CallContext, name: string): Record<string, unknown> {
  const { nofailback, restricted, ...settings } = findGroup(context, name);
  return {
    group: name,
    type: "group",
    digest: haDigest(context.cluster.state.ha.groups),
    ...settings,
    nofailback: nofailback === undefined ? undefined : nofailback ? 1 : 0,
    restricted: restricted === undefined ? undefined : restricted ? 1 : 0,
  };
}
