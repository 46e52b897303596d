import type tls from "node:tls";
import { ApiError, forbidden } from "../store/api-error.ts";
import { isGranted } from "./authorization.ts";
import type { Route, User } from "./request.ts";
import type { KubeStore } from "../store/store.ts";
import { unauthorized } from "../store/api-error.ts";

/** Reading a certificate takes longer than most calls, and a connection keeps its own. */
const users = new WeakMap<tls.TLSSocket, User>();

/** Who the client certificate says is calling. Nobody without a valid one. */
export function userOf(socket: tls.TLSSocket): User {
  const user = users.get(socket) ?? readUser(socket);
  users.set(socket, user);
  return user;
}

/** CN is the user, O the groups. */
function readUser(socket: tls.TLSSocket): User {
  const subject = socket.authorized ? socket.getPeerCertificate().subject : undefined;
  const name = subject?.CN;
  if (subject === undefined || name === undefined) throw unauthorized();
  const groups = subject.O ?? [];
  return { name: [name].flat()[0] ?? "", groups: [...[groups].flat(), "system:authenticated"] };
}

export const isMaster = (user: User): boolean => user.groups.includes("system:masters");

const openPaths = /^\/(version|api|apis|openapi\/v[23]|livez|readyz|healthz)(\/|$)/;

/** Discovery is open to every known user; the rest to `system:masters`. */
export function checkPath(user: User, method: string, path: string): void {
  if (isMaster(user) || openPaths.test(path)) return;
  throw new ApiError(
    403,
    "Forbidden",
    `forbidden: User "${user.name}" cannot ${method.toLowerCase()} path "${path}"`,
    {},
  );
}

/** Resources are for `system:masters`, and for those whom roles grant them. */
export function checkVerb(store: KubeStore, user: User, verb: string, at: Route): void {
  if (isMaster(user) || at.kind.resource.startsWith("selfsubject")) return;
  const { group, resource: plural } = at.kind;
  const { namespace, name, subresource } = at;
  if (isGranted(store, user, { verb, group, resource: plural, namespace, name, subresource })) return;
  // Nodes may do much more in a real cluster; here they do the rest without asking.
  const isNode = user.groups.includes("system:nodes");
  if (isNode && verb === "create" && at.kind.resource === "certificatesigningrequests") return;
  const where = at.namespace === undefined ? "at the cluster scope" : `in the namespace "${at.namespace}"`;
  const what = `resource "${at.kind.resource}" in API group "${at.kind.group}" ${where}`;
  throw forbidden(at.kind, at.name ?? "", `User "${user.name}" cannot ${verb} ${what}`);
}
