import { ApiError } from "../api-error.ts";
import type { CallContext } from "../call.ts";
import { optionsOf } from "../nodes/datacenter-options.ts";

const words = (text: string): string[] => text.split(/[;, ]+/).filter((word) => word !== "");

/** Who may change any tag, whatever the datacenter says. */
const isPrivileged = (context: CallContext): boolean => context.may.all("/", ["Sys.Modify"]);

/** Tags the caller may set, as `GET /cluster/options` tells them; where everybody may invent some, those in use. */
export function allowedTags(context: CallContext): string[] {
  const { "user-tag-access": access = {}, "registered-tags": registered = [] } = optionsOf(context.cluster);
  const { "user-allow": mode = "free", "user-allow-list": list = [] } = access;
  const isAbove = isPrivileged(context);
  const inUse = Object.values(context.cluster.state.vms)
    .filter((vm) => isAbove || context.may.all(`/vms/${vm.vmid}`, ["VM.Audit"]))
    .flatMap((vm) => words(String(vm.config["tags"] ?? "")));
  const allowed = [
    ...(mode !== "none" || isAbove ? list : []),
    ...(mode === "free" || mode === "existing" || isAbove ? inUse : []),
  ];
  const known = isAbove ? [...allowed, ...registered] : allowed.filter((tag) => !registered.includes(tag));
  return [...new Set(known)].toSorted();
}

/** May the caller turn the tags of a machine into others? Those that stay are nobody's business. */
export function demandTags(context: CallContext, vmid: number, before: string, after: string): void {
  context.demand.all(`/vms/${vmid}`, ["VM.Config.Options"]);
  if (context.caller.isRoot || isPrivileged(context)) return;
  const { "user-tag-access": access = {}, "registered-tags": registered = [] } = optionsOf(context.cluster);
  const isFree = (access["user-allow"] ?? "free") === "free";
  const allowed = allowedTags(context);
  const [old, wanted] = [words(before), words(after)];
  const changed = [
    ...wanted.filter((tag) => !old.includes(tag)),
    ...old.filter((tag) => !wanted.includes(tag)),
  ];
  const refused = changed.find((tag) => (!isFree && !allowed.includes(tag)) || registered.includes(tag));
  if (refused === undefined) return;
  throw new ApiError(403, `Permission check failed (/, Sys.Modify for modifying tag '${refused}')\n`);
}

/**
 * At create 9 takes an empty hash for the tags there were, whose text then counts as a tag that goes: unless everybody
 * may invent tags, none can be given here, not even one that is allowed. 8 does not look at them at all.
 */
export function demandFirstTags(context: CallContext, vmid: number, tags: string): void {
  if (context.cluster.version === 9) demandTags(context, vmid, "HASH(0x5605c1a3d2b8)", tags);
}
