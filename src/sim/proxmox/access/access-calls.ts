import { ApiError } from "../api-error.ts";
import { isAlive, newTicket, ticketUser } from "./authenticate.ts";
import type { Params } from "../../../clients/proxmox/endpoints/index.ts";
import type { Handlers } from "../call.ts";
import { isStandAlone, type Cluster } from "../cluster.ts";
import { splitList } from "../parameters/formats.ts";
import { allPermissions, permissionsAt, privilegesOn, userOf } from "./privileges.ts";

export const accessCalls: Handlers<"GET /access/permissions" | "GET /access/ticket" | "POST /access/ticket"> =
  {
    "GET /access/permissions": (context, { path, userid }) => {
      const { cluster, caller } = context;
      const id = userid ?? caller.id;
      const isOwn = id === caller.id || userOf(id) === caller.id;
      if (!isOwn) context.demand.all("/access", ["Sys.Audit"]);
      return path === undefined ? allPermissions(cluster, id) : { [path]: permissionsAt(cluster, id, path) };
    },

    "GET /access/ticket": () => null,

    "POST /access/ticket": ({ cluster }, params) => {
      const user = params.realm ? `${params.username}@${params.realm}` : params.username;
      // Whatever is wrong, one answer: nobody shall learn who exists.
      if (!isProven(cluster, user, params)) throw new ApiError(401, "authentication failure\n");
      const { ticket, csrf } = newTicket(cluster, user);
      const mayNameCluster = !isStandAlone(cluster) && privilegesOn(cluster, user, "/").has("Sys.Audit");
      return {
        username: user,
        // Who only asks whether somebody may do something gets no ticket.
        ...(params.path === undefined && { ticket, CSRFPreventionToken: csrf }),
        clustername: mayNameCluster ? cluster.file.cluster : undefined,
        cap: capabilities(cluster, user),
      };
    },
  };

/** By the password, by a ticket of one's own, or by one of root's. */
function isProven(cluster: Cluster, user: string, params: Params<"POST /access/ticket">): boolean {
  const account = cluster.state.users[user];
  if (!account || !isAlive(cluster, user) || params["tfa-challenge"] !== undefined) return false;
  const holder = ticketUser(cluster, params.password);
  const isRight = account.password !== undefined && account.password === params.password;
  if (params.path === undefined) return isRight || holder === user || holder === "root@pam";
  const has = privilegesOn(cluster, user, params.path);
  return (isRight || holder === user) && splitList(params.privs ?? "").every((priv) => has.has(priv));
}

const areas: Record<string, RegExp> = {
  access: /^(?:User|Group|Permissions)\./,
  dc: /^(?:Sys\.Audit|Sys\.Modify|SDN\.)/,
  mapping: /^(?:Mapping|Permissions)\./,
  nodes: /^(?:Sys|Permissions)\./,
  sdn: /^(?:SDN|Permissions)\./,
  storage: /^(?:Datastore|Permissions)\./,
  vms: /^(?:VM|Permissions)\./,
};
const askedPaths = ["/", "/nodes", "/access/groups", "/vms", "/storage", "/sdn", "/mapping"];

/** A right on a pool is one on what is in it. */
const areasOf = (path: string): string[] => {
  const [, top = "dc"] = /^\/(\w+)/.exec(path) ?? [];
  return top === "pool" ? ["vms", "storage"] : [top];
};

/** What a user interface shows and hides: whatever somebody may do anywhere in an area. */
function capabilities(cluster: Cluster, user: string): Record<string, Record<string, 1>> {
  const found: Record<string, Record<string, 1>> = Object.fromEntries(
    Object.keys(areas).map((area) => [area, {}]),
  );
  for (const path of new Set([...askedPaths, ...cluster.state.acl.map((grant) => grant.path)])) {
    for (const priv of privilegesOn(cluster, user, path).keys()) {
      for (const area of areasOf(path))
        if (areas[area]?.test(priv)) found[area] = { ...found[area], [priv]: 1 };
    }
  }
  return found;
}
