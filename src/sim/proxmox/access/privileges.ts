import type { Cluster } from "../cluster.ts";
import type { Grant, ProxmoxState } from "../state.ts";
import { allPrivileges } from "./roles.ts";

/** Privileges on a path; true where they also hold below it. */
export type Privileges = Map<string, boolean>;

export const rootUser = "root@pam";

/** The user behind a user id or a token id. */
export const userOf = (id: string): string => id.split("!")[0] ?? id;

/** What a user or token may do on a path. */
export function privilegesOn(cluster: Cluster, id: string, path: string): Privileges {
  if (!path.startsWith("/")) return new Map();
  const user = userOf(id);
  const own = userPrivileges(cluster, user, path);
  if (user === id) return own;
  const token = cluster.state.tokens[id];
  if (!token) return new Map();
  if (!token.privsep) return own;
  const granted = withPools(cluster.state, path, (at) =>
    grantedAt(cluster.state, at, (grants) => grants.filter((g) => g.kind === "token" && g.id === id)),
  );
  return new Map([...granted].filter(([priv]) => own.has(priv)));
}

function userPrivileges(cluster: Cluster, user: string, path: string): Privileges {
  const { state } = cluster;
  if (user === rootUser) return new Map(allPrivileges(cluster.version).map((priv) => [priv, true]));
  if (!state.users[user]?.enable) return new Map();
  const groups = Object.keys(state.groups).filter((name) => state.groups[name]?.includes(user));
  return withPools(state, path, (at) =>
    grantedAt(state, at, (grants) => {
      const personal = grants.filter((g) => g.kind === "user" && g.id === user);
      return personal.length > 0
        ? personal
        : grants.filter((g) => g.kind === "group" && groups.includes(g.id));
    }),
  );
}

/** Grants nearer to the path replace those further up. */
function grantedAt(state: ProxmoxState, path: string, mine: (grants: Grant[]) => Grant[]): Privileges {
  let held: Grant[] = [];
  for (const at of pathsDownTo(path)) {
    const found = mine(state.acl.filter((g) => g.path === at && (g.propagate || at === path)));
    if (found.length > 0) held = found;
  }
  if (held.some((grant) => grant.role === "NoAccess")) return new Map();
  const privileges: Privileges = new Map();
  for (const grant of held) {
    for (const priv of state.roles[grant.role]?.privs ?? []) {
      privileges.set(priv, grant.propagate || (privileges.get(priv) ?? false));
    }
  }
  return privileges;
}

/** A machine or storage in a pool also gets the rights given on the pool. */
function withPools(state: ProxmoxState, path: string, at: (path: string) => Privileges): Privileges {
  const privileges = at(path);
  for (const [name, pool] of Object.entries(state.pools)) {
    const isMember =
      pool.vms.some((vmid) => path === `/vms/${vmid}`) ||
      pool.storages.some((storage) => path === `/storage/${storage}`);
    if (!isMember) continue;
    for (const priv of at(`/pool/${name}`).keys()) {
      if (!privileges.has(priv)) privileges.set(priv, false);
    }
  }
  return privileges;
}

function pathsDownTo(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return ["/", ...parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`)];
}

/** Every path the cluster speaks of, with what the user or token may do there. */
export function allPermissions(cluster: Cluster, id: string): Record<string, Record<string, 0 | 1>> {
  const { state } = cluster;
  const paths = new Set([
    "/",
    "/access",
    "/access/groups",
    "/nodes",
    "/pool",
    "/sdn",
    "/storage",
    "/vms",
    ...state.acl.map((grant) => grant.path),
    ...Object.values(state.pools).flatMap((pool) => [
      ...pool.vms.map((vmid) => `/vms/${vmid}`),
      ...pool.storages.map((storage) => `/storage/${storage}`),
    ]),
  ]);
  return Object.fromEntries(
    [...paths]
      .map((path) => [path, permissionsAt(cluster, id, path)] as const)
      .filter(([, privileges]) => Object.keys(privileges).length > 0),
  );
}

export const permissionsAt = (cluster: Cluster, id: string, path: string): Record<string, 0 | 1> =>
  Object.fromEntries([...privilegesOn(cluster, id, path)].map(([priv, below]) => [priv, below ? 1 : 0]));
