import { createHash } from "node:crypto";
import { refusal } from "../api-error.ts";
import type { Cluster } from "../cluster.ts";
import type { HaResource } from "./state.ts";

export const sidOf = (vmid: number): string => `vm:${vmid}`;

/** A resource may be named by the number of its machine alone. */
export function fullSid(given: string): string {
  if (/^\d+$/.test(given)) return `vm:${given}`;
  const [, type = "", name = ""] = /^([^:]+):(.+)$/.exec(given) ?? [];
  if (name === "") throw refusal(`unable to parse ha resource id '${given}'`);
  if (type !== "vm" && type !== "ct") throw refusal(`unknown section type '${type}'`);
  return given;
}

export const resourceOf = (cluster: Cluster, vmid: number): HaResource | undefined =>
  cluster.state.ha.resources[sidOf(vmid)];

/** The state a resource was asked to be in. */
export const requestedState = (resource: HaResource): string =>
  resource.state === undefined || resource.state === "enabled" ? "started" : resource.state;

/** Before the manager's first visit. */
export const isQueued = (cluster: Cluster, resource: HaResource): boolean =>
  cluster.clock.now() - resource.addedAt < cluster.latencies.haRoundMs;

/** What the manager says of a resource. */
export function haStateOf(cluster: Cluster, sid: string, resource: HaResource): string {
  if (isQueued(cluster, resource)) return "queued";
  if (resource.moveTo !== undefined) return "migrate";
  const wanted = requestedState(resource);
  if (wanted === "started" || wanted === "ignored") return wanted;
  return cluster.state.vms[sid.slice("vm:".length)]?.running ? "request_stop" : "stopped";
}

/** Changes whenever anything in the file does. */
export const haDigest = (section: object): string =>
  createHash("sha1").update(JSON.stringify(section)).digest("hex");

/** Holds what is to go against what a section may do without. */
export function demandDeletable(
  keys: readonly string[],
  options: { optional: readonly string[]; required?: readonly string[] },
): void {
  for (const key of keys) {
    if (options.required?.includes(key)) throw refusal(`unable to delete required option '${key}'`);
    if (!options.optional.includes(key)) throw refusal(`no such option '${key}'`);
  }
}

/** Refuses to change what somebody else has changed since it was read. */
export function demandDigest(digest: string | undefined, section: object): void {
  if (!digest || digest === haDigest(section)) return;
  throw refusal("detected modified configuration - file changed by other user? Try again.");
}

/** Takes a resource out, and out of the rules that speak of it; a rule about nothing goes too. */
export function forgetResource(cluster: Cluster, sid: string): void {
  const { ha } = cluster.state;
  delete ha.resources[sid];
  for (const [name, rule] of Object.entries(ha.rules)) {
    rule.resources = rule.resources.filter((other) => other !== sid);
    if (rule.resources.length === 0) delete ha.rules[name];
  }
  cluster.changed();
}
