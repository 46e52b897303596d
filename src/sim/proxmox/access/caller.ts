import type { Check } from "../../../clients/proxmox/endpoints/index.ts";
import { ApiError, forbidden, refusal } from "../api-error.ts";
import type { Cluster } from "../cluster.ts";
import { formatProblem, splitList } from "../parameters/formats.ts";
import { privilegesOn, rootUser, userOf } from "./privileges.ts";
import type { RawParams } from "../parameters/verify.ts";

/** Who calls. */
export interface Caller {
  /** `user@realm` or `user@realm!token`. */
  id: string;
  user: string;
  /** root@pam with a ticket; a token of root is not root. */
  isRoot: boolean;
}

export const callerOf = (id: string): Caller => ({ id, user: userOf(id), isRoot: id === rootUser });

export function mayAll(cluster: Cluster, caller: Caller, path: string, privs: readonly string[]): boolean {
  const held = privilegesOn(cluster, caller.id, path);
  return privs.every((priv) => held.has(priv));
}

export function mayAny(cluster: Cluster, caller: Caller, path: string, privs: readonly string[]): boolean {
  const held = privilegesOn(cluster, caller.id, path);
  return privs.some((priv) => held.has(priv));
}

/** Throws 403 with the first privilege that is missing. */
export function demandAll(cluster: Cluster, caller: Caller, path: string, privs: readonly string[]): void {
  const held = privilegesOn(cluster, caller.id, path);
  const lacking = privs.find((priv) => !held.has(priv));
  if (lacking !== undefined) throw forbidden(path, [lacking]);
}

export function demandAny(cluster: Cluster, caller: Caller, path: string, privs: readonly string[]): void {
  if (!mayAny(cluster, caller, path, privs)) throw forbidden(path, privs);
}

const denied = () => new ApiError(403, "Permission check failed\n");

/** The declared check of a call, before its parameters are looked at. */
export function demandAccess(cluster: Cluster, caller: Caller, check: Check, params: RawParams): void {
  // Whatever is asked for, root has it.
  if (caller.isRoot) return;
  const fill = (path: string) =>
    knownPath(path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? "")));
  if ("allOf" in check) {
    for (const part of check.allOf) demandAccess(cluster, caller, part, params);
  } else if ("anyOf" in check) {
    if (!check.anyOf.some((part) => passes(cluster, caller, part, params))) throw denied();
  } else if ("root" in check) {
    throw new ApiError(403, "Permission check failed (user != root@pam)\n");
  } else if ("self" in check) {
    const userid = demandUserId(params);
    demandUser(cluster, userid);
    if (caller.id !== userid) throw denied();
  } else if ("onRealm" in check) {
    const realm = demandUserId(params).split("@")[1] ?? "";
    demandAll(cluster, caller, `/access/realm/${realm}`, [check.onRealm]);
  } else if ("onGroups" in check) demandOnGroups(cluster, caller, check, params);
  else if ("modifyPermissions" in check) {
    // What is no path the call itself refuses.
    const path = fill(check.modifyPermissions);
    if (path !== "") demandPermissionChange(cluster, caller, path);
  } else if (check.given !== undefined && params[check.given] === undefined) throw denied();
  else {
    const demand = check.any ? demandAny : demandAll;
    demand(cluster, caller, fill(check.on), check.privs);
  }
}

/** The user that is spoken of, by a name that can be one. */
function demandUserId(params: RawParams): string {
  const userid = String(params["userid"] ?? "");
  const problem = formatProblem("pve-userid", userid, 9);
  if (problem !== undefined) throw refusal(problem);
  return userid;
}

function demandUser(cluster: Cluster, userid: string): void {
  if (!cluster.state.users[userid]) throw refusal(`no such user ('${userid}')`);
}

/** A right on all groups, or on each that is named and on one of those that the user is in. */
function demandOnGroups(
  cluster: Cluster,
  caller: Caller,
  { onGroups, groupsOf }: Extract<Check, { onGroups: unknown }>,
  params: RawParams,
): void {
  const userid = String(params["userid"] ?? "");
  if (groupsOf !== "create") demandUser(cluster, userid);
  if (mayAny(cluster, caller, "/access/groups", onGroups)) return;
  if (groupsOf !== undefined) {
    const named = splitList(String(params["groups"] ?? ""));
    if (named.length === 0) throw forbidden("/access/groups", onGroups);
    for (const group of named) demandAny(cluster, caller, `/access/groups/${group}`, onGroups);
  }
  if (groupsOf !== "create" && !membersSeenBy(cluster, caller, onGroups).has(userid)) throw denied();
}

/** Who is in a group on which the caller has one of the rights. */
export function membersSeenBy(cluster: Cluster, caller: Caller, privs: readonly string[]): Set<string> {
  const groups = Object.entries(cluster.state.groups);
  return new Set(
    groups.flatMap(([group, users]) =>
      mayAny(cluster, caller, `/access/groups/${group}`, privs) ? users : [],
    ),
  );
}

/** As the server takes a path: one slash between names, none at the end. A name that cannot be part of it makes it none. */
export function knownPath(path: string): string {
  const plain = `/${path.split("/").filter(Boolean).join("/")}`;
  return /^[\w./-]+$/.test(plain) ? plain : "";
}

function passes(cluster: Cluster, caller: Caller, check: Check, params: RawParams): boolean {
  try {
    demandAccess(cluster, caller, check, params);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Who may allocate a thing may also say who else may use it. */
function permissionChangers(path: string): string[] {
  const owner = { storage: "Datastore.Allocate", vms: "VM.Allocate", pool: "Pool.Allocate" } as const;
  const kind = /^\/(storage|vms|pool)\/.+$/.exec(path)?.[1] as keyof typeof owner | undefined;
  return ["Permissions.Modify", ...(kind ? [owner[kind]] : [])];
}

export const demandPermissionChange = (cluster: Cluster, caller: Caller, path: string): void =>
  demandAny(cluster, caller, path, permissionChangers(path));

export const mayChangePermissions = (cluster: Cluster, caller: Caller, path: string): boolean =>
  mayAny(cluster, caller, path, permissionChangers(path));
