import {
  digList,
  digText,
  type Fields,
  isSame,
  type KubeObject,
  type KubeStore,
  refOf,
  stampOf,
} from "../../../sim/kube/index.ts";

/** A condition as somebody sees it now. */
export interface Seen {
  type: string;
  is: boolean | "Unknown";
  reason?: string;
  message?: string;
}

export const conditionIn = (object: KubeObject | undefined, type: string): unknown =>
  digList(object, "status", "conditions").find((item) => digText(item, "type") === type);

/** Since when a condition is as it is, on the cluster's clock; 0 when it was never looked at. */
export const sinceOf = (object: KubeObject | undefined, type: string): number =>
  Date.parse(digText(conditionIn(object, type), "lastTransitionTime")) || 0;

/** Writes what was seen; conditions nobody looked at stay, and times change only with what they stand for. */
export function writeStatus(
  store: KubeStore,
  object: KubeObject,
  seen: Seen[],
  more: Fields = {},
): KubeObject {
  const now = stampOf(store.clock.now());
  const written = seen.map(({ type, is, reason = "", message = "" }) => {
    const old = conditionIn(object, type);
    const status = is === "Unknown" ? is : is ? "True" : "False";
    const time = digText(old, "status") === status ? digText(old, "lastTransitionTime") : now;
    return { type, status, lastTransitionTime: time, lastUpdateTime: time, reason, message };
  });
  const known = digList(object, "status", "conditions").map(
    (old) => written.find(({ type }) => type === digText(old, "type")) ?? old,
  );
  const conditions = [...known, ...written.filter(({ type }) => conditionIn(object, type) === undefined)];
  const before = (object["status"] ?? {}) as Fields;
  const isNews =
    !isSame(before["conditions"], conditions) ||
    Object.entries(more).some(([field, value]) => !isSame(before[field], value));
  if (!isNews) return object;
  return store.patch(refOf(object), "merge", { status: { ...more, conditions } }, { subresource: "status" });
}
