import { flag, integer, text, type EndpointTable } from "./schema.ts";

const mayRead = { on: "/", privs: ["Sys.Audit"] } as const;
const mayManage = { on: "/", privs: ["Sys.Console"] } as const;

const sid = text({ required: true, format: "pve-ha-resource-or-vm-id" });
const rule = text({ required: true, format: "pve-configid" });
const group = text({ required: true, format: "pve-configid" });
const comment = text({ maxLength: 4096 });
const removed = text({ format: "pve-configid-list", maxLength: 4096 });
const digest = text({ maxLength: 64 });

const resourceSettings = {
  comment,
  failback: flag({ since: 9 }),
  group: text({ format: "pve-configid" }),
  max_relocate: integer({ min: 0 }),
  max_restart: integer({ min: 0 }),
  state: text({ enum: ["started", "stopped", "enabled", "disabled", "ignored"] }),
} as const;

const nodeAffinity = ["node-affinity"] as const;
const resourceAffinity = ["resource-affinity"] as const;
const anyAffinity = ["node-affinity", "resource-affinity"] as const;
const ruleType = text({ required: true, enum: anyAffinity });

const groupNodes = { format: "pve-ha-node-list", in8: { format: "pve-ha-group-node-list" } } as const;

/** High availability: machines the cluster itself keeps running, and where. Groups belong to 8, rules to 9. */
export const haEndpoints = {
  "GET /cluster/ha/resources": { access: mayRead, params: { type: text({ enum: ["ct", "vm"] }) } },
  "POST /cluster/ha/resources": {
    access: mayManage,
    params: { sid, type: text({ enum: ["ct", "vm"] }), ...resourceSettings },
  },
  "GET /cluster/ha/resources/{sid}": { access: mayRead, params: { sid } },
  "PUT /cluster/ha/resources/{sid}": {
    access: mayManage,
    params: { sid, ...resourceSettings, delete: removed, digest },
  },
  "DELETE /cluster/ha/resources/{sid}": {
    access: mayManage,
    params: { sid, purge: flag({ since: 9 }) },
  },
  "GET /cluster/ha/rules": {
    since: 9,
    access: mayRead,
    params: { resource: text(), type: text({ enum: anyAffinity }) },
  },
  "POST /cluster/ha/rules": {
    since: 9,
    access: mayManage,
    params: {
      rule,
      type: ruleType,
      resources: text({ required: true, format: "pve-ha-resource-id-list", forType: anyAffinity }),
      nodes: text({ required: true, format: "pve-ha-node-list", forType: nodeAffinity }),
      strict: flag({ forType: nodeAffinity }),
      affinity: text({ required: true, enum: ["positive", "negative"], forType: resourceAffinity }),
      comment: text({ maxLength: 4096, forType: anyAffinity }),
      disable: flag({ forType: anyAffinity }),
    },
  },
  "GET /cluster/ha/rules/{rule}": { since: 9, access: mayRead, params: { rule } },
  "PUT /cluster/ha/rules/{rule}": {
    since: 9,
    access: mayManage,
    params: {
      rule,
      type: ruleType,
      resources: text({ format: "pve-ha-resource-id-list", forType: anyAffinity }),
      nodes: text({ format: "pve-ha-node-list", forType: nodeAffinity }),
      strict: flag({ forType: nodeAffinity }),
      affinity: text({ enum: ["positive", "negative"], forType: resourceAffinity }),
      comment: text({ maxLength: 4096, forType: anyAffinity }),
      disable: flag({ forType: anyAffinity }),
      delete: removed,
      digest,
    },
  },
  "DELETE /cluster/ha/rules/{rule}": { since: 9, access: mayManage, params: { rule } },
  "GET /cluster/ha/groups": { access: mayRead, params: {} },
  "POST /cluster/ha/groups": {
    access: mayManage,
    params: {
      group,
      nodes: text({ required: true, ...groupNodes }),
      type: text({ enum: ["group"] }),
      comment,
      nofailback: flag(),
      restricted: flag(),
    },
  },
  "GET /cluster/ha/groups/{group}": { access: mayRead, params: { group } },
  "PUT /cluster/ha/groups/{group}": {
    access: mayManage,
    params: {
      group,
      nodes: text(groupNodes),
      comment,
      nofailback: flag(),
      restricted: flag(),
      delete: removed,
      digest,
    },
  },
  "DELETE /cluster/ha/groups/{group}": { access: mayManage, params: { group } },
  "GET /cluster/ha/status/current": { access: mayRead, params: {} },
} as const satisfies EndpointTable;
