import { asFields, asFlag, asList, asRecords, asText } from "../wire/answers.ts";
import type { Call } from "../wire/call.ts";

/** A role given to somebody on a path. */
export interface AccessRule {
  path: string;
  role: string;
  kind: "user" | "group" | "token";
  /** `user@realm`, `user@realm!token` or a group's name. */
  holder: string;
  isPropagated: boolean;
}

export interface NewToken {
  comment: string;
  isSeparate: boolean;
}

export interface AccessCalls {
  /** Privileges of every role, by its name. */
  roles(signal?: AbortSignal): Promise<Map<string, Set<string>>>;
  addRole(name: string, privileges: string[], signal?: AbortSignal): Promise<void>;
  /** Takes nothing away. */
  extendRole(name: string, privileges: string[], signal?: AbortSignal): Promise<void>;
  /** Ids of the users the caller may see. */
  users(signal?: AbortSignal): Promise<string[]>;
  addUser(user: string, comment: string, signal?: AbortSignal): Promise<void>;
  /** The user's tokens by name, and whether they have rights of their own only. */
  tokens(user: string, signal?: AbortSignal): Promise<Map<string, { isSeparate: boolean }>>;
  /** Gives the secret, which is never told again. Unless separate, the token has all the rights of its user. */
  addToken(user: string, name: string, token: NewToken, signal?: AbortSignal): Promise<string>;
  accessRules(signal?: AbortSignal): Promise<AccessRule[]>;
  addAccessRule(rule: AccessRule, signal?: AbortSignal): Promise<void>;
}

export const accessCalls = (call: Call): AccessCalls => ({
  roles: async (signal) =>
    new Map(
      asRecords(await call("GET /access/roles", "list roles", {}, signal)).map((role) => [
        asText(role["roleid"]),
        new Set(asList(role["privs"])),
      ]),
    ),

  addRole: async (name, privileges, signal) => {
    const params = { roleid: name, privs: privileges.join(",") };
    await call("POST /access/roles", `create role ${name}`, params, signal);
  },

  extendRole: async (name, privileges, signal) => {
    const params = { roleid: name, privs: privileges.join(","), append: true };
    await call("PUT /access/roles/{roleid}", `extend role ${name}`, params, signal);
  },

  users: async (signal) =>
    asRecords(await call("GET /access/users", "list users", {}, signal)).map((user) =>
      asText(user["userid"]),
    ),

  addUser: async (user, comment, signal) => {
    await call("POST /access/users", `create user ${user}`, { userid: user, comment }, signal);
  },

  tokens: async (user, signal) => {
    const doing = `list tokens of ${user}`;
    const data = await call("GET /access/users/{userid}/token", doing, { userid: user }, signal);
    return new Map(
      asRecords(data).map((token) => [
        asText(token["tokenid"]),
        { isSeparate: asFlag(token["privsep"] ?? 1) },
      ]),
    );
  },

  addToken: async (user, name, { comment, isSeparate }, signal) => {
    const params = { userid: user, tokenid: name, comment, privsep: isSeparate };
    const doing = `create token ${user}!${name}`;
    return asText(
      asFields(await call("POST /access/users/{userid}/token/{tokenid}", doing, params, signal))["value"],
    );
  },

  accessRules: async (signal) =>
    asRecords(await call("GET /access/acl", "list access rules", {}, signal)).map((rule) => ({
      path: asText(rule["path"]),
      role: asText(rule["roleid"]),
      kind: asText(rule["type"]) as AccessRule["kind"],
      holder: asText(rule["ugid"]),
      isPropagated: asFlag(rule["propagate"]),
    })),

  addAccessRule: async ({ path, role, kind, holder, isPropagated }, signal) => {
    const doing = `give ${holder} the role ${role} on ${path}`;
    const params = { path, roles: role, [`${kind}s`]: holder, propagate: isPropagated };
    await call("PUT /access/acl", doing, params, signal);
  },
});
