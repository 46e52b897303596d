import { flag, integer, text, type EndpointTable } from "./schema.ts";

const userid = text({ required: true, format: "pve-userid", maxLength: 64 });
const tokenid = text({ required: true, pattern: "[A-Za-z][A-Za-z0-9.\\-_]+" });
const roleid = text({ required: true, format: "pve-roleid" });
const privs = text({ format: "pve-priv-list" });
const userFields = {
  comment: text({ maxLength: 2048 }),
  email: text({ format: "email-opt", maxLength: 254 }),
  enable: flag(),
  expire: integer({ min: 0 }),
  firstname: text({ maxLength: 1024 }),
  groups: text({ format: "pve-groupid-list" }),
  keys: text({ pattern: "[0-9a-zA-Z!=]{0,4096}" }),
  lastname: text({ maxLength: 1024 }),
} as const;
const ownOrManaged = { anyOf: [{ self: true }, { onGroups: ["User.Modify"] }] } as const;
const manageRoles = { on: "/access", privs: ["Sys.Modify"] } as const;

/** Users, tokens, roles, permissions, log-in. */
export const accessEndpoints = {
  "GET /access/permissions": {
    access: "anyone",
    params: {
      path: text(),
      userid: text({ pattern: "[^\\s:/]+@[A-Za-z][A-Za-z0-9.\\-_]+(?:![A-Za-z][A-Za-z0-9.\\-_]+)?" }),
    },
  },
  "GET /access/domains": { access: "world", params: {} },
  "GET /access/ticket": { access: "world", params: {} },
  "POST /access/ticket": {
    access: "world",
    params: {
      username: text({ required: true, maxLength: 64 }),
      password: text({ required: true }),
      realm: text({ format: "pve-realm", maxLength: 32 }),
      otp: text(),
      "new-format": flag(),
      "tfa-challenge": text(),
      path: text({ maxLength: 64, requires: "privs" }),
      privs: text({ format: "pve-priv-list", maxLength: 64, requires: "path" }),
    },
  },
  "GET /access/users": { access: "anyone", params: { enabled: flag(), full: flag() } },
  "POST /access/users": {
    access: { allOf: [{ onRealm: "Realm.AllocateUser" }, { onGroups: ["User.Modify"] }] },
    params: { userid, password: text({ minLength: 8, maxLength: 64 }), ...userFields },
  },
  "GET /access/users/{userid}": {
    access: { onGroups: ["User.Modify", "Sys.Audit"] },
    params: { userid },
  },
  "PUT /access/users/{userid}": {
    access: { onGroups: ["User.Modify"] },
    params: { userid, append: flag({ requires: "groups" }), ...userFields },
  },
  "DELETE /access/users/{userid}": {
    access: { allOf: [{ onRealm: "Realm.AllocateUser" }, { onGroups: ["User.Modify"] }] },
    params: { userid },
  },
  "GET /access/users/{userid}/token": { access: ownOrManaged, params: { userid } },
  "GET /access/users/{userid}/token/{tokenid}": { access: ownOrManaged, params: { userid, tokenid } },
  "POST /access/users/{userid}/token/{tokenid}": {
    access: ownOrManaged,
    params: { userid, tokenid, comment: text(), expire: integer({ min: 0 }), privsep: flag() },
  },
  "PUT /access/users/{userid}/token/{tokenid}": {
    access: ownOrManaged,
    params: {
      userid,
      tokenid,
      comment: text(),
      expire: integer({ min: 0 }),
      privsep: flag(),
      delete: text({ format: "pve-configid-list", since: 9 }),
      regenerate: flag({ since: 9 }),
    },
  },
  "DELETE /access/users/{userid}/token/{tokenid}": { access: ownOrManaged, params: { userid, tokenid } },
  "GET /access/groups": { access: "anyone", params: {} },
  "GET /access/roles": { access: "anyone", params: {} },
  "POST /access/roles": { access: manageRoles, params: { roleid, privs } },
  "GET /access/roles/{roleid}": { access: "anyone", params: { roleid } },
  "PUT /access/roles/{roleid}": {
    access: manageRoles,
    params: { roleid, privs, append: flag({ requires: "privs" }) },
  },
  "DELETE /access/roles/{roleid}": { access: manageRoles, params: { roleid } },
  "GET /access/acl": { access: "anyone", params: {} },
  "PUT /access/acl": {
    access: { modifyPermissions: "{path}" },
    params: {
      path: text({ required: true }),
      roles: text({ required: true, format: "pve-roleid-list" }),
      users: text({ format: "pve-userid-list" }),
      groups: text({ format: "pve-groupid-list" }),
      tokens: text({ format: "pve-tokenid-list" }),
      propagate: flag(),
      delete: flag(),
    },
  },
} as const satisfies EndpointTable;
