import { inHashOrder } from "../hash-order.ts";
import { badParameter, refusal } from "../api-error.ts";
import type { Handlers } from "../call.ts";
import { mayAny } from "./caller.ts";
import { splitList } from "../parameters/formats.ts";
import type { Grant, ProxmoxState } from "../state.ts";

export const roleCalls: Handlers<
  | "GET /access/roles"
  | "POST /access/roles"
  | "GET /access/roles/{roleid}"
  | "PUT /access/roles/{roleid}"
  | "DELETE /access/roles/{roleid}"
  | "GET /access/acl"
  | "PUT /access/acl"
> = {
  "GET /access/roles": ({ cluster }) =>
    inHashOrder(cluster, Object.entries(cluster.state.roles)).map(([roleid, role]) => ({
      roleid,
      privs: role.privs.toSorted().join(","),
      special: role.isBuiltIn ? 1 : 0,
    })),

  "POST /access/roles": ({ cluster }, { roleid, privs }) => {
    const { roles } = cluster.state;
    if (/^PVE/i.test(roleid)) {
      const problem = "cannot use role ID starting with the (case-insensitive) 'PVE' namespace";
      throw badParameter({ roleid: problem });
    }
    if (roles[roleid]) throw refusal(`create role failed: role '${roleid}' already exists`);
    roles[roleid] = { privs: splitList(privs ?? ""), isBuiltIn: false };
    cluster.changed();
  },

  "GET /access/roles/{roleid}": ({ cluster }, { roleid }) => {
    const role = cluster.state.roles[roleid];
    if (!role) throw refusal(`role '${roleid}' does not exist`);
    return Object.fromEntries(role.privs.map((priv) => [priv, 1]));
  },

  "PUT /access/roles/{roleid}": ({ cluster }, { roleid, privs, append }) => {
    const role = cluster.state.roles[roleid];
    if (role?.isBuiltIn) throw refusal(`auto-generated role '${roleid}' cannot be modified`);
    if (!role) throw refusal(`update role failed: role '${roleid}' does not exist`);
    const given = splitList(privs ?? "");
    role.privs = append ? [...new Set([...role.privs, ...given])] : given;
    cluster.changed();
  },

  "DELETE /access/roles/{roleid}": ({ cluster }, { roleid }) => {
    const role = cluster.state.roles[roleid];
    if (role?.isBuiltIn) throw refusal(`auto-generated role '${roleid}' cannot be deleted`);
    if (!role) throw refusal(`delete role failed: role '${roleid}' does not exist`);
    delete cluster.state.roles[roleid];
    cluster.changed();
  },

  "GET /access/acl": ({ cluster, caller }) =>
    cluster.state.acl
      .filter((grant) => mayAny(cluster, caller, grant.path, ["Permissions.Modify"]))
      .map((grant) => ({
        path: grant.path,
        roleid: grant.role,
        type: grant.kind,
        ugid: grant.id,
        propagate: grant.propagate ? 1 : 0,
      })),

  "PUT /access/acl": ({ cluster }, params) => {
    const { state } = cluster;
    const path = normalPath(params.path);
    if (path === undefined || (!params.delete && !aclPath.test(path))) {
      throw badParameter({ path: `invalid ACL path '${params.path}'` });
    }
    const holders = named(params);
    if (holders.length === 0) {
      const problem = "either 'users', 'groups' or 'tokens' is required.";
      throw badParameter({ users: problem, groups: problem, tokens: problem });
    }
    for (const role of splitList(params.roles)) {
      if (!state.roles[role]) throw refusal(`ACL update failed: role '${role}' does not exist`);
      for (const { kind, id } of holders) {
        demandHolder(state, kind, id);
        state.acl = state.acl.filter(
          (grant) => grant.path !== path || grant.role !== role || grant.id !== id,
        );
        if (params.delete) continue;
        state.acl.push({ path, role, kind, id, propagate: params.propagate ?? true });
      }
    }
    cluster.changed();
  },
};

type Holder = Pick<Grant, "kind" | "id">;

const named = (params: { users?: string; groups?: string; tokens?: string }): Holder[] => [
  ...splitList(params.users ?? "").map((id) => ({ kind: "user" as const, id })),
  ...splitList(params.groups ?? "").map((id) => ({ kind: "group" as const, id })),
  ...splitList(params.tokens ?? "").map((id) => ({ kind: "token" as const, id })),
];

function demandHolder(state: ProxmoxState, kind: Grant["kind"], id: string): void {
  const [user, token] = id.split("!");
  const problem = {
    user: state.users[id] ? undefined : `user '${id}' does not exist`,
    group: state.groups[id] ? undefined : `group '${id}' does not exist`,
    token: state.tokens[id] ? undefined : `no such token '${token}' for user '${user}'`,
  }[kind];
  if (problem !== undefined) throw refusal(`ACL update failed: ${problem}`);
}

/** Slashes stand between names only, and one leads. */
function normalPath(given: string): string | undefined {
  const path = `/${given.split("/").filter(Boolean).join("/")}`;
  return /^[\w./-]+$/.test(path) ? path : undefined;
}

const name = "[A-Za-z0-9._-]+";
const aclPath = new RegExp(
  `^/(?:access(?:/(?:groups|realm)(?:/${name})?)?|mapping(?:/${name}){0,2}|(?:nodes|storage)(?:/${name})?|` +
    `pool(?:/${name}){0,3}|sdn(?:/(?:zones(?:/${name}(?:/${name}(?:/[1-9]\\d{0,3})?)?)?|` +
    `(?:controllers|dns|fabrics|ipams)(?:/${name})?))?|vms(?:/[1-9]\\d{2,})?)?$`,
);
