import { asFlag, asList, asRecords, asText, type Fields } from "../wire/answers.ts";
import type { Call } from "../wire/call.ts";

/** A machine that the cluster itself keeps running. */
export interface HaResource {
  vmid: number;
  /** What was asked for: `started`, `stopped`, `ignored` … */
  state: string;
  /** Proxmox 8 only. */
  group?: string | undefined;
  comment: string;
}

/** Machines that must not share a node. Proxmox 9 and later. */
export interface AntiAffinityRule {
  name: string;
  vmids: number[];
  isOn: boolean;
  comment: string;
}

/** Nodes that machines may be moved to. Proxmox 8 only. */
export interface HaGroup {
  name: string;
  nodes: string[];
  comment: string;
}

export interface HaCalls {
  haResources(signal?: AbortSignal): Promise<HaResource[]>;
  addHaResource(resource: Omit<HaResource, "state">, signal?: AbortSignal): Promise<void>;
  /** Takes it up again, and into the group; without one, out of any. */
  changeHaResource(resource: Omit<HaResource, "state">, signal?: AbortSignal): Promise<void>;
  antiAffinityRules(signal?: AbortSignal): Promise<AntiAffinityRule[]>;
  addAntiAffinityRule(rule: Omit<AntiAffinityRule, "isOn">, signal?: AbortSignal): Promise<void>;
  changeAntiAffinityRule(rule: Omit<AntiAffinityRule, "isOn">, signal?: AbortSignal): Promise<void>;
  /** Ends well when there is none. */
  dropHaRule(name: string, signal?: AbortSignal): Promise<void>;
  haGroups(signal?: AbortSignal): Promise<HaGroup[]>;
  addHaGroup(group: HaGroup, signal?: AbortSignal): Promise<void>;
  changeHaGroup(group: HaGroup, signal?: AbortSignal): Promise<void>;
  dropHaGroup(name: string, signal?: AbortSignal): Promise<void>;
}

export const haCalls = (call: Call): HaCalls => ({
  haResources: async (signal) => {
    const doing = "list machines under high availability";
    return asRecords(await call("GET /cluster/ha/resources", doing, { type: "vm" }, signal)).map(resourceOf);
  },

  addHaResource: async ({ vmid, group, comment }, signal) => {
    const doing = `put machine ${vmid} under high availability`;
    const params = {
      sid: sidOf(vmid),
      state: "started",
      comment,
      group,
    } as const;
    await call("POST /cluster/ha/resources", doing, params, signal);
  },

  changeHaResource: async ({ vmid, group, comment }, signal) => {
    const doing = `change the high availability of machine ${vmid}`;
    const where = group === undefined ? { delete: "group" } : { group };
    const params = { sid: sidOf(vmid), state: "started", comment, ...where } as const;
    await call("PUT /cluster/ha/resources/{sid}", doing, params, signal);
  },

  antiAffinityRules: async (signal) => {
    const params = { type: "resource-affinity" } as const;
    const data = await call("GET /cluster/ha/rules", "list rules of high availability", params, signal);
    return asRecords(data)
      .filter((rule) => rule["affinity"] === "negative")
      .map((rule) => ({
        name: asText(rule["rule"]),
        vmids: asList(rule["resources"]).map(vmidOf),
        isOn: !asFlag(rule["disable"]),
        comment: asText(rule["comment"]),
      }));
  },

  addAntiAffinityRule: async ({ name, vmids, comment }, signal) => {
    const params = { rule: name, ...apart, resources: vmids.map(sidOf).join(","), comment };
    await call("POST /cluster/ha/rules", `create the rule ${name}`, params, signal);
  },

  changeAntiAffinityRule: async ({ name, vmids, comment }, signal) => {
    const params = {
      rule: name,
      ...apart,
      resources: vmids.map(sidOf).join(","),
      comment,
      delete: "disable",
    };
    await call("PUT /cluster/ha/rules/{rule}", `change the rule ${name}`, params, signal);
  },

  dropHaRule: async (name, signal) => {
    await call("DELETE /cluster/ha/rules/{rule}", `remove the rule ${name}`, { rule: name }, signal);
  },

  haGroups: async (signal) =>
    asRecords(await call("GET /cluster/ha/groups", "list groups of high availability", {}, signal)).map(
      (group) => ({
        name: asText(group["group"]),
        nodes: asList(group["nodes"]),
        comment: asText(group["comment"]),
      }),
    ),

  addHaGroup: async ({ name, nodes, comment }, signal) => {
    const params = { group: name, nodes: nodes.join(","), comment };
    await call("POST /cluster/ha/groups", `create the group ${name}`, params, signal);
  },

  changeHaGroup: async ({ name, nodes, comment }, signal) => {
    const params = { group: name, nodes: nodes.join(","), comment };
    await call("PUT /cluster/ha/groups/{group}", `change the group ${name}`, params, signal);
  },

  dropHaGroup: async (name, signal) => {
    await call("DELETE /cluster/ha/groups/{group}", `remove the group ${name}`, { group: name }, signal);
  },
});

const apart = { type: "resource-affinity", affinity: "negative" } as const;
const sidOf = (vmid: number): string => `vm:${vmid}`;
const vmidOf = (sid: string): number => Number(sid.replace(/^\w+:/, ""));

function resourceOf(fields: Fields): HaResource {
  const group = asText(fields["group"]);
  return {
    vmid: vmidOf(asText(fields["sid"])),
    state: asText(fields["state"]) || "started",
    group: group || undefined,
    comment: asText(fields["comment"]),
  };
}
