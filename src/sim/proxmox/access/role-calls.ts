import { inHashOrder } from "../hash-order.ts";
import { badParameter, refusal, under } from "../api-error.ts";
import type { Handlers } from "../call.ts";
import type { Cluster } from "../cluster.ts";
import { mayChangePermissions, type Caller } from "./caller.ts";
import { splitList } from "../parameters/formats.ts";
import { privilegesOn } from "./privileges.ts";
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

  "GET /access/acl": (context) => {
    const seesAll = context.may.all("/access", ["Sys.Audit"]);
    return context.cluster.state.acl
      .filter(({ path }) => seesAll || mayChangePermissions(context.cluster, context.caller, path))
      .map((grant) => ({
        path: grant.path,
        roleid: grant.role,
        type: grant.kind,
        ugid: grant.id,
        propagate: grant.propagate ? 1 : 0,
      }));
  },

  "PUT /access/acl": ({ cluster, caller }, params) => {
    const { state } = cluster;
    const holders = named(params);
    if (![params.users, params.groups, params.tokens].some(Boolean)) {
      const problem = "either 'users', 'groups' or 'tokens' is required.";
      throw badParameter({ users: problem, groups: problem, tokens: problem });
    }
    const path = normalPath(params.path);
    if (path === undefined || (!params.delete && !aclPath.test(path))) {
      throw badParameter({ path: `invalid ACL path '${params.path}'` });
    }
    const propagate = params.propagate ?? true;
    let acl = state.acl;
    under("ACL update failed", () => {
      for (const role of splitList(params.roles)) {
        if (!state.roles[role]) throw refusal(`role '${role}' does not exist`);
        demandSuperset(cluster, caller, path, role, { isNew: !params.delete, propagate });
        for (const { kind, id } of holders) {
          demandHolder(state, kind, id);
          acl = acl.filter((grant) => grant.path !== path || grant.role !== role || grant.id !== id);
          if (!params.delete) acl = [...acl, { path, role, kind, id, propagate }];
        }
      }
    });
    state.acl = acl;
    cluster.changed();
  },
};

/** Who may not change permissions as such hands out and takes only what they have themselves. */
function demandSuperset(
  cluster: Cluster,
  caller: Caller,
  path: string,
  role: string,
  { isNew, propagate }: { isNew: boolean; propagate: boolean },
): void {
  const held = privilegesOn(cluster, caller.id, path);
  if (held.has("Permissions.Modify")) return;
  const refused = (what: string, needed: string) =>
    badParameter({
      role: `Cannot ${isNew ? "add" : "remove"} role '${role}'${what} - requires 'Permissions.Modify'${needed}`,
    });
  for (const priv of cluster.state.roles[role]?.privs ?? []) {
    if (!held.has(priv)) throw refused("", " or superset of privileges.");
    if (isNew && propagate && !held.get(priv)) {
      throw refused(" with propagation", " or propagated superset of privileges.");
    }
  }
  if (role === "NoAccess") throw refused("", "");
}

type Holder = Pick<Grant, "kind" | "id">;

const named = (params: { users?: string; groups?: string; tokens?: string }): Holder[] => [
  ...splitList(params.groups ?? "").map((id) => ({ kind: "group" as const, id })),
  ...splitList(params.users ?? "").map((id) => ({ kind: "user" as const, id })),
  ...splitList(params.tokens ?? "").map((id) => ({ kind: "token" as const, id })),
];

function demandHolder(state: ProxmoxState, kind: Grant["kind"], id: string): void {
  const [user, token] = id.split("!");
  const problem = {
    user: state.users[id] ? undefined : `user '${id}' does not exist`,
    group: state.groups[id] ? undefined : `group '${id}' does not exist`,
    token: state.tokens[id] ? undefined : `no such token '${token}' for user '${user}'`,
  }[kind];
  if (problem !== undefined) throw refusal(problem);
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
