import { randomUuid } from "../../../lib/index.ts";
import { inHashOrder } from "../hash-order.ts";
import { ApiError, badParameter, refusal, under } from "../api-error.ts";
import type { Handlers } from "../call.ts";
import type { Cluster } from "../cluster.ts";
import { membersSeenBy } from "./caller.ts";
import { groupsOf, joinGroups } from "./group-calls.ts";
import { realmsOf } from "./realm-calls.ts";
import { rootUser } from "./privileges.ts";
import type { Token, User } from "../state.ts";

export const userCalls: Handlers<
  | "GET /access/users"
  | "POST /access/users"
  | "GET /access/users/{userid}"
  | "PUT /access/users/{userid}"
  | "DELETE /access/users/{userid}"
  | "GET /access/users/{userid}/tfa"
  | "PUT /access/password"
  | "GET /access/users/{userid}/token"
  | "GET /access/users/{userid}/token/{tokenid}"
  | "POST /access/users/{userid}/token/{tokenid}"
  | "PUT /access/users/{userid}/token/{tokenid}"
  | "DELETE /access/users/{userid}/token/{tokenid}"
> = {
  "GET /access/users": (context, { enabled, full }) => {
    const { cluster, caller } = context;
    const privs = ["User.Modify", "Sys.Audit"];
    const seesAll = context.may.any("/access/groups", privs);
    const members = membersSeenBy(cluster, caller, privs);
    return inHashOrder(cluster, Object.entries(cluster.state.users))
      .filter(([id]) => seesAll || id === caller.id || members.has(id))
      .filter(([, user]) => enabled === undefined || user.enable === enabled)
      .map(([userid, user]) => ({
        userid,
        "realm-type": realmsOf(cluster)[userid.split("@")[1] ?? ""]?.["type"],
        ...userFields(user),
        ...(full && { groups: groupsOf(cluster, userid).join(","), tokens: listedTokens(cluster, userid) }),
      }));
  },

  "POST /access/users": ({ cluster }, { userid, groups, ...fields }) => {
    const { users } = cluster.state;
    if (users[userid]) throw refusal(`create user failed: user '${userid}' already exists`);
    under("create user failed", () => {
      const realm = userid.split("@")[1] ?? "";
      if (fields.password !== undefined && !realmsOf(cluster)[realm]) {
        throw refusal(`auth domain '${realm}' does not exist`);
      }
      if (groups !== undefined) joinGroups(cluster, userid, groups, false);
    });
    users[userid] = { enable: true, expire: 0, ...fields };
    cluster.changed();
  },

  "GET /access/users/{userid}": ({ cluster }, { userid }) => {
    const user = userFields(demandUser(cluster, userid));
    const tokens = tokensOf(cluster, userid).map(([id, token]) => [id, tokenFields(token)] as const);
    return {
      ...user,
      groups: groupsOf(cluster, userid),
      tokens: tokens.length === 0 ? null : Object.fromEntries(tokens),
    };
  },

  "PUT /access/users/{userid}": ({ cluster }, { userid, groups, append, ...fields }) => {
    under("update user failed", () => {
      const user = demandUser(cluster, userid);
      if (groups !== undefined) joinGroups(cluster, userid, groups, append ?? false);
      Object.assign(user, fields);
    });
    cluster.changed();
  },

  "DELETE /access/users/{userid}": ({ cluster }, { userid }) => {
    const { state } = cluster;
    if (userid === rootUser) throw refusal(`delete user failed: user '${userid}' cannot be deleted`);
    delete state.users[userid];
    joinGroups(cluster, userid, "", false);
    for (const [id] of tokensOf(cluster, userid)) delete state.tokens[`${userid}!${id}`];
    state.acl = state.acl.filter((grant) => grant.id !== userid && !grant.id.startsWith(`${userid}!`));
    cluster.changed();
  },

  "GET /access/users/{userid}/tfa": ({ cluster }, { userid, multiple }) => {
    const realm = userid.split("@")[1] ?? "";
    if (!realmsOf(cluster)[realm]) throw refusal(`auth domain '${realm}' does not exist`);
    return multiple ? { user: [] } : {};
  },

  "PUT /access/password": ({ cluster, caller }, params) => {
    const { userid, password, "confirmation-password": confirmation } = params;
    const user = demandUser(cluster, userid);
    if (!caller.isRoot) {
      const isForRoot = userid === rootUser || (caller.id !== userid && userid.endsWith("@pam"));
      if (isForRoot) throw new ApiError(403, "Permission check failed\n");
      if (confirmation === undefined) {
        throw badParameter({ "confirmation-password": "password is required to modify user" });
      }
      if (cluster.state.users[caller.user]?.password !== confirmation) throw refusal("invalid credentials");
    }
    user.password = password;
    cluster.changed();
  },

  "GET /access/users/{userid}/token": ({ cluster }, { userid }) => {
    demandUser(cluster, userid);
    return tokensOf(cluster, userid).map(([tokenid, token]) => ({ tokenid, ...tokenFields(token) }));
  },

  "GET /access/users/{userid}/token/{tokenid}": ({ cluster }, { userid, tokenid }) =>
    tokenFields(demandToken(cluster, userid, tokenid)),

  "POST /access/users/{userid}/token/{tokenid}": ({ cluster }, { userid, tokenid, ...fields }) => {
    demandUser(cluster, userid);
    const id = `${userid}!${tokenid}`;
    if (cluster.state.tokens[id]) throw badParameter({ tokenid: "Token already exists." });
    const token: Token = { privsep: true, expire: 0, ...fields, secret: randomUuid(cluster.random) };
    cluster.state.tokens[id] = token;
    cluster.changed();
    return { "full-tokenid": id, value: token.secret, info: asGiven(fields) };
  },

  "PUT /access/users/{userid}/token/{tokenid}": (
    { cluster },
    { userid, tokenid, regenerate, delete: _delete, ...fields },
  ) => {
    const token = demandToken(cluster, userid, tokenid);
    Object.assign(token, fields);
    if (regenerate) token.secret = randomUuid(cluster.random);
    cluster.changed();
    return regenerate
      ? { ...tokenFields(token), "full-tokenid": `${userid}!${tokenid}`, value: token.secret }
      : { ...tokenFields(token), ...textOf(fields) };
  },

  "DELETE /access/users/{userid}/token/{tokenid}": ({ cluster }, { userid, tokenid }) => {
    const { state } = cluster;
    demandToken(cluster, userid, tokenid);
    delete state.tokens[`${userid}!${tokenid}`];
    state.acl = state.acl.filter((grant) => grant.id !== `${userid}!${tokenid}`);
    cluster.changed();
  },
};

function demandUser(cluster: Cluster, userid: string): User {
  const user = cluster.state.users[userid];
  if (!user) throw refusal(`no such user ('${userid}')`);
  return user;
}

function demandToken(cluster: Cluster, userid: string, tokenid: string): Token {
  demandUser(cluster, userid);
  const token = cluster.state.tokens[`${userid}!${tokenid}`];
  if (!token) throw refusal(`no such token '${tokenid}' for user '${userid}'`);
  return token;
}

function tokensOf(cluster: Cluster, userid: string): [string, Token][] {
  return Object.entries(cluster.state.tokens)
    .filter(([id]) => id.startsWith(`${userid}!`))
    .map(([id, token]) => [id.slice(userid.length + 1), token]);
}

/** A line of the file ends with its last field that says something, and the address before one is there, if empty. */
const userFields = ({ password: _password, enable, ...rest }: User) => ({
  enable: enable ? 1 : 0,
  ...((rest.comment || rest.keys) && { email: "" }),
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== "")),
});

/** Nothing where there was never a token. */
function listedTokens(cluster: Cluster, userid: string): Record<string, unknown>[] | null {
  const rows = tokensOf(cluster, userid).map(([tokenid, token]) => ({ tokenid, ...tokenFields(token) }));
  return rows.length === 0 ? null : rows;
}

const tokenFields = (token: Token) => ({
  privsep: token.privsep ? 1 : 0,
  expire: token.expire,
  comment: token.comment,
});

/** The answer to a new token repeats what was given, as text; the default is a number. */
const asGiven = (fields: { privsep?: boolean; expire?: number; comment?: string }) => ({
  privsep: 1,
  ...textOf(fields),
});

const textOf = (fields: { privsep?: boolean; expire?: number; comment?: string }) => ({
  ...(fields.privsep !== undefined && { privsep: fields.privsep ? "1" : "0" }),
  ...(fields.expire !== undefined && { expire: String(fields.expire) }),
  ...(fields.comment !== undefined && { comment: fields.comment }),
});
