import { refOf, type KubeClient, type KubeObject } from "../../clients/kube/index.ts";
import { stableJson } from "../../lib/index.ts";

interface Condition {
  type: string;
  status: string;
  lastTransitionTime: string;
}

/** A condition before it is known since when it is so. */
export type ConditionDraft<C extends Condition> = Omit<C, "lastTransitionTime">;

/** The time of a condition stays as long as its status does. */
export function withTransitionTimes<C extends Condition>(
  drafts: readonly ConditionDraft<C>[],
  before: readonly Condition[] | undefined,
  nowMs: number,
): C[] {
  const now = new Date(nowMs).toISOString().replace(/\.\d+/, "");
  return drafts.map((draft) => {
    const known = before?.find(({ type }) => type === draft.type);
    const lastTransitionTime = known?.status === draft.status ? known.lastTransitionTime : now;
    return { ...draft, lastTransitionTime } as C;
  });
}

/**
 * Writes the status of an object by server-side apply, as its only owner. Nothing is sent when nothing has changed: every write wakes
 * all who watch.
 */
export async function writeStatus<T extends KubeObject>(
  client: Pick<KubeClient, "apply">,
  object: T,
  status: NonNullable<T["status"]>,
  fieldManager: string,
): Promise<boolean> {
  if (stableJson(status) === stableJson(object["status"] ?? {})) return false;
  const { apiVersion, kind, name, namespace } = refOf(object);
  const manifest = {
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    status,
  };
  await client.apply(manifest, { fieldManager, isForced: true, subresource: "status" });
  return true;
}
