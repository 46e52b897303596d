import type { Kind } from "../store/kinds.ts";
import { digList, digText, isFields } from "../store/object.ts";

/** How a list is merged: whole, by the keys of its items, or as a set of values. */
export type ListShape = "atomic" | "set" | { keys: string[]; defaults?: Record<string, unknown> };

const byName: ListShape = { keys: ["name"] };
const byType: ListShape = { keys: ["type"] };

/** Lists of the built-in kinds that are not atomic, by the last fields of their path. */
const builtInLists: Record<string, ListShape> = {
  containers: byName,
  initContainers: byName,
  ephemeralContainers: byName,
  env: byName,
  volumes: byName,
  imagePullSecrets: byName,
  secrets: byName,
  webhooks: byName,
  volumeMounts: { keys: ["mountPath"] },
  volumeDevices: { keys: ["devicePath"] },
  hostAliases: { keys: ["ip"] },
  topologySpreadConstraints: { keys: ["topologyKey", "whenUnsatisfiable"] },
  "containers.ports": { keys: ["containerPort", "protocol"], defaults: { protocol: "TCP" } },
  "initContainers.ports": { keys: ["containerPort", "protocol"], defaults: { protocol: "TCP" } },
  "spec.ports": { keys: ["port", "protocol"], defaults: { protocol: "TCP" } },
  "status.conditions": byType,
  "status.addresses": byType,
  "metadata.ownerReferences": { keys: ["uid"] },
  "metadata.finalizers": "set",
  "spec.finalizers": "set",
  "spec.podCIDRs": "set",
};

/** The keys strategic merge uses where they differ from those of apply, plus lists only it merges. */
const patchKeys: Record<string, string> = {
  "containers.ports": "containerPort",
  "initContainers.ports": "containerPort",
  "spec.ports": "port",
  "spec.taints": "key",
  topologySpreadConstraints: "topologyKey",
};

/** `path` holds field names only; list items add nothing to it. */
export function listShape(kind: Kind, path: string[]): ListShape {
  if (path[0] === "metadata" || !kind.custom)
    return builtInLists[path.slice(-2).join(".")] ?? builtInLists[path.at(-1) ?? ""] ?? "atomic";
  return customShape(kind.custom.schema, path);
}

/** The merge key of a list under strategic merge, `set` for lists of plain values, or undefined to replace it. */
export function patchKey(kind: Kind, path: string[]): string | undefined {
  const last = path.slice(-2).join(".");
  const shape = listShape(kind, path);
  if (shape === "set") return "set";
  return patchKeys[last] ?? patchKeys[path.at(-1) ?? ""] ?? (shape === "atomic" ? undefined : shape.keys[0]);
}

function customShape(schema: unknown, path: string[]): ListShape {
  let current = schema;
  for (const step of path) {
    if (!isFields(current)) return "atomic";
    if (isFields(current["items"])) current = current["items"];
    if (!isFields(current)) return "atomic";
    const properties = current["properties"];
    current = isFields(properties) ? properties[step] : current["additionalProperties"];
  }
  const type = digText(current, "x-kubernetes-list-type");
  if (type === "set") return "set";
  return type === "map" ? { keys: digList(current, "x-kubernetes-list-map-keys").map(String) } : "atomic";
}

/** The `k:` step of a list item, or undefined when the item lacks a key. */
export function itemStep(shape: { keys: string[]; defaults?: Record<string, unknown> }, item: unknown) {
  if (!isFields(item)) return undefined;
  const key: Record<string, unknown> = {};
  for (const name of shape.keys.toSorted()) {
    const value = item[name] ?? shape.defaults?.[name];
    if (value === undefined) return undefined;
    key[name] = value;
  }
  return `k:${JSON.stringify(key)}`;
}
