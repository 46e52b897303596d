import { createHash } from "node:crypto";
import { ApiError, refusal } from "../api-error.ts";
import { isAlive, newTicket, ticketUser } from "./authenticate.ts";
import type { Params } from "../../../clients/proxmox/endpoints/index.ts";
import type { Handlers } from "../call.ts";
import { isStandAlone, type Cluster } from "../cluster.ts";
import { splitList } from "../parameters/formats.ts";
import { allPermissions, permissionsAt, privilegesOn, userOf } from "./privileges.ts";

const realms: Record<string, string> = {
  pam: "Linux PAM standard authentication",
  pve: "Proxmox VE authentication server",
};

export const accessCalls: Handlers<
  | "GET /access/permissions"
  | "GET /access/domains"
  | "GET /access/ticket"
  | "POST /access/ticket"
  | "GET /access/domains/{realm}"
> = {
  "GET /access/permissions": (context, { path, userid }) => {
    const { cluster, caller } = context;
    const id = userid ?? caller.id;
    const isOwn = id === caller.id || userOf(id) === caller.id;
    if (!isOwn) context.demand.all("/access", ["Sys.Audit"]);
    return path === undefined ? allPermissions(cluster, id) : { [path]: permissionsAt(cluster, id, path) };
  },

  "GET /access/domains": () =>
    Object.entries(realms).map(([realm, comment]) => ({ realm, type: realm, comment })),

  "GET /access/domains/{realm}": (_, { realm }) => {
    const comment = realms[realm];
    if (comment === undefined) throw refusal(`domain '${realm}' does not exist`);
    return { type: realm, comment, digest: createHash("sha1").update(realm).digest("hex") };
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

const areas: Record<string, [string, RegExp]> = {
  access: ["/access", /^(?:User|Group|Permissions)\./],
  dc: ["/", /^(?:Sys\.Audit|Sys\.Modify|SDN\.)/],
  mapping: ["/mapping", /^(?:Mapping|Permissions)\./],
  nodes: ["/nodes", /^(?:Sys|Permissions)\./],
  sdn: ["/sdn", /^(?:SDN|Permissions)\./],
  storage: ["/storage", /^(?:Datastore|Permissions)\./],
  vms: ["/vms", /^(?:VM|Permissions)\./],
};

/** What a user interface shows and hides. */
const capabilities = (cluster: Cluster, user: string): Record<string, Record<string, 1>> =>
  Object.fromEntries(
    Object.entries(areas).map(([area, [path, pattern]]) => [
      area,
      Object.fromEntries(
        [...privilegesOn(cluster, user, path).keys()]
          .filter((priv) => pattern.test(priv))
          .map((priv) => [priv, 1]),
      ),
    ]),
  );
