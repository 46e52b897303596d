import type { Check } from "../../../clients/proxmox/endpoints/index.ts";
import { ApiError, forbidden } from "../api-error.ts";
import type { Cluster } from "../cluster.ts";
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
    if (caller.id !== params["userid"]) throw denied();
  } else if ("onRealm" in check) {
    const realm = String(params["userid"] ?? "").split("@")[1] ?? "";
    demandAll(cluster, caller, `/access/realm/${realm}`, [check.onRealm]);
  } else if ("onGroups" in check) {
    if (!mayAny(cluster, caller, "/access/groups", check.onGroups)) throw denied();
  } else if ("modifyPermissions" in check)
    demandPermissionChange(cluster, caller, fill(check.modifyPermissions));
  else if (check.given !== undefined && params[check.given] === undefined) throw denied();
  else {
    const demand = check.any ? demandAny : demandAll;
    demand(cluster, caller, fill(check.on), check.privs);
  }
}

/** A name that cannot be part of a path makes it no path at all. */
export const knownPath = (path: string): string => (/^[\w./-]*$/.test(path) ? path : "");

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
export function demandPermissionChange(cluster: Cluster, caller: Caller, path: string): void {
  const owner = { storage: "Datastore.Allocate", vms: "VM.Allocate", pool: "Pool.Allocate" } as const;
  const kind = /^\/(storage|vms|pool)\/.+$/.exec(path)?.[1] as keyof typeof owner | undefined;
  demandAny(cluster, caller, path, ["Permissions.Modify", ...(kind ? [owner[kind]] : [])]);
}
