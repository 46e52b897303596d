import { ApiError } from "../api-error.ts";
import { newTicket, ticketUser } from "../authenticate.ts";
import type { Handlers } from "../call.ts";
import { isStandAlone, type Cluster } from "../cluster.ts";
import { allPermissions, permissionsAt, privilegesOn, userOf } from "../privileges.ts";

export const accessCalls: Handlers<
  | "GET /access/permissions"
  | "GET /access/domains"
  | "GET /access/ticket"
  | "POST /access/ticket"
  | "GET /access/groups"
> = {
  "GET /access/permissions": (context, { path, userid }) => {
    const { cluster, caller } = context;
    const id = userid ?? caller.id;
    const isOwn = id === caller.id || userOf(id) === caller.id;
    if (!isOwn) context.demand.all("/access", ["Sys.Audit"]);
    return path === undefined ? allPermissions(cluster, id) : { [path]: permissionsAt(cluster, id, path) };
  },

  "GET /access/domains": () => [
    { realm: "pam", type: "pam", comment: "Linux PAM standard authentication" },
    { realm: "pve", type: "pve", comment: "Proxmox VE authentication server" },
  ],

  "GET /access/ticket": () => null,

  "POST /access/ticket": ({ cluster }, { username, password, realm }) => {
    const user = username.includes("@") ? username : `${username}@${realm ?? "pam"}`;
    const account = cluster.state.users[user];
    const isRenewal = ticketUser(cluster, password) === user;
    const isRight = account?.password !== undefined && account.password === password;
    if (!account?.enable || !(isRenewal || isRight)) throw new ApiError(401, "authentication failure\n");
    const { ticket, csrf } = newTicket(cluster, user);
    return {
      username: user,
      ticket,
      CSRFPreventionToken: csrf,
      ...(!isStandAlone(cluster) && { clustername: cluster.file.cluster }),
      cap: capabilities(cluster, user),
    };
  },

  "GET /access/groups": (context) =>
    Object.entries(context.cluster.state.groups)
      .filter(([name]) =>
        context.may.any(`/access/groups/${name}`, ["User.Modify", "Sys.Audit", "Group.Allocate"]),
      )
      .map(([groupid, users]) => ({ groupid, users: users.join(",") })),
};

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
