import { badParameter, refusal } from "../api-error.ts";
import type { Handlers } from "../call.ts";
import { mayAny } from "../access.ts";
import { splitList } from "../formats.ts";
import type { Grant } from "../state.ts";

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
    Object.entries(cluster.state.roles).map(([roleid, role]) => ({
      roleid,
      privs: role.privs.toSorted().join(","),
      special: role.isBuiltIn ? 1 : 0,
    })),

  "POST /access/roles": ({ cluster }, { roleid, privs }) => {
    const { roles } = cluster.state;
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
    if (!role) throw refusal(`role '${roleid}' does not exist`);
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
    if (!isAclPath(params.path)) throw badParameter({ path: `invalid ACL path '${params.path}'` });
    for (const role of splitList(params.roles)) {
      if (!state.roles[role]) throw refusal(`role '${role}' does not exist`);
      const named: [Grant["kind"], string | undefined][] = [
        ["user", params.users],
        ["group", params.groups],
        ["token", params.tokens],
      ];
      for (const [kind, ids] of named) {
        for (const id of splitList(ids ?? "")) {
          if (kind === "user" && !state.users[id]) throw refusal(`user '${id}' does not exist`);
          state.acl = state.acl.filter(
            (grant) => grant.path !== params.path || grant.role !== role || grant.id !== id,
          );
          if (params.delete) continue;
          state.acl.push({ path: params.path, role, kind, id, propagate: params.propagate ?? true });
        }
      }
    }
    cluster.changed();
  },
};

const isAclPath = (path: string): boolean =>
  /^\/(?:(?:access|mapping|nodes|pool|sdn|storage|vms)(?:\/.*)?)?$/.test(path);
